<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
<context>
    <name></name>
    <message>
        <source>
From the service&apos;s record: before this window listened.</source>
        <translation>
Aus den Aufzeichnungen des Dienstes: bevor dieses Fenster zuhörte.</translation>
    </message>
    <message>
        <source>
From the service&apos;s record: it was before this window listened.</source>
        <translation>
Aus den Aufzeichnungen des Dienstes: Es war, bevor dieses Fenster zuhörte.</translation>
    </message>
    <message>
        <source>
p99, step by step; all rows have one scale. Dashed: the goal.</source>
        <translation>
p99, Schritt für Schritt; alle Zeilen haben einen Maßstab. Gestrichelt: das Ziel.</translation>
    </message>
    <message>
        <source>  Search and commands</source>
        <translation>  Suche und Befehle</translation>
    </message>
    <message>
        <source>  Search and commands    {keys}</source>
        <translation>  Suche und Befehle    {keys}</translation>
    </message>
    <message>
        <source> (and {count} more)</source>
        <translation> (und {count} weitere)</translation>
    </message>
    <message>
        <source> (ended)</source>
        <translation> (abgelaufen)</translation>
    </message>
    <message>
        <source> (good: {ms:.2f} ms)</source>
        <translation> (gut: {ms:.2f} ms)</translation>
    </message>
    <message>
        <source> (not known on this site)</source>
        <translation> (an diesem Standort nicht bekannt)</translation>
    </message>
    <message>
        <source> (the card takes no stronger one)</source>
        <translation> (die Karte nimmt keinen stärkeren)</translation>
    </message>
    <message>
        <source> A rotation is under way; its new secret is replaced.</source>
        <translation> Ein Wechsel läuft bereits; sein neues Geheimnis wird ersetzt.</translation>
    </message>
    <message>
        <source> A secret was made; it is shown once after this. Put another in its place if HR has made one.</source>
        <translation> Ein Geheimnis wurde erzeugt; es wird danach einmal angezeigt. Ersetzen Sie es, wenn die Personalabteilung eines erzeugt hat.</translation>
    </message>
    <message>
        <source> Approved by {person}: carry it out (Ctrl+Return).</source>
        <translation> Freigegeben durch {person}: ausführen (Strg+Eingabe).</translation>
    </message>
    <message>
        <source> Attempt {attempt}: what was done before is not done again.</source>
        <translation> Versuch {attempt}: Bereits Erledigtes wird nicht wiederholt.</translation>
    </message>
    <message>
        <source> Columns that mean nothing here: {columns}.</source>
        <translation> Spalten ohne Bedeutung hier: {columns}.</translation>
    </message>
    <message>
        <source> Here a drawn palm can be laid on a training terminal.</source>
        <translation> Hier lässt sich eine gezeichnete Handfläche auf ein Übungsterminal legen.</translation>
    </message>
    <message>
        <source> It is covered by {places}.</source>
        <translation> Verdeckt von {places}.</translation>
    </message>
    <message>
        <source> It looks like a copy of a template and counts as no live check.</source>
        <translation> Sie sieht aus wie die Kopie eines Templates und zählt nicht als Live-Prüfung.</translation>
    </message>
    <message>
        <source> Its last lines are below.</source>
        <translation> Seine letzten Zeilen stehen unten.</translation>
    </message>
    <message>
        <source> Next: {step}.</source>
        <translation> Weiter: {step}.</translation>
    </message>
    <message>
        <source> Note: {note}</source>
        <translation> Notiz: {note}</translation>
    </message>
    <message>
        <source> Nothing of it is held any more: close it.</source>
        <translation> Nichts davon wird mehr gehalten: Schließen Sie es.</translation>
    </message>
    <message>
        <source> Nothing was sent to it.</source>
        <translation> Ihm wurde nichts gesendet.</translation>
    </message>
    <message>
        <source> On this training site nothing real is touched.</source>
        <translation> In dieser Übungsumgebung wird nichts Echtes berührt.</translation>
    </message>
    <message>
        <source> POLICY CHANGED: the service gives another one now; see the page Seals before you trust it.</source>
        <translation> RICHTLINIE GEÄNDERT: Der Dienst gibt jetzt eine andere an; sehen Sie auf der Seite „Siegel“ nach, bevor Sie ihr vertrauen.</translation>
    </message>
    <message>
        <source> Published at {source}; compared with it on {day}.</source>
        <translation> Veröffentlicht unter {source}; damit verglichen am {day}.</translation>
    </message>
    <message>
        <source> Samples that are unlike the others were not used: take them again and enrol anew, or leave it.</source>
        <translation> Proben, die den anderen nicht ähneln, wurden nicht verwendet: Nehmen Sie sie neu auf und erfassen Sie erneut, oder lassen Sie es so.</translation>
    </message>
    <message>
        <source> Score {score:.2f}.</source>
        <translation> Wert {score:.2f}.</translation>
    </message>
    <message>
        <source> Taken back.</source>
        <translation> Zurückgenommen.</translation>
    </message>
    <message>
        <source> That is overdue: see the service&apos;s log.</source>
        <translation> Das ist überfällig: siehe Protokoll des Dienstes.</translation>
    </message>
    <message>
        <source> That was the fifth time within a minute.</source>
        <translation> Das war das fünfte Mal innerhalb einer Minute.</translation>
    </message>
    <message>
        <source> The new one is taken too since {time}; end the old one when HR signs with it.</source>
        <translation> Das neue gilt zusätzlich seit {time}; beenden Sie das alte, sobald mit dem neuen signiert wird.</translation>
    </message>
    <message>
        <source> The page stays as it was.</source>
        <translation> Die Seite bleibt, wie sie war.</translation>
    </message>
    <message>
        <source> The service gives another policy now.</source>
        <translation> Der Dienst gibt jetzt eine andere Richtlinie an.</translation>
    </message>
    <message>
        <source> This has {characters}.</source>
        <translation> Hier steht: {characters}.</translation>
    </message>
    <message>
        <source> This intent needs a card or PIN beside it: the palm alone is one factor.</source>
        <translation> Dieser Zweck verlangt zusätzlich eine Karte oder PIN: Die Handfläche allein ist nur ein Faktor.</translation>
    </message>
    <message>
        <source> This is attempt {attempt}: the service ended while it ran.</source>
        <translation> Das ist Versuch {attempt}: Der Dienst endete während der Prüfung.</translation>
    </message>
    <message>
        <source> This voice would not pass as the person&apos;s by that.</source>
        <translation> Diese Stimme ginge damit nicht als die der Person durch.</translation>
    </message>
    <message>
        <source> This voice would pass as the person&apos;s by that.</source>
        <translation> Diese Stimme ginge damit als die der Person durch.</translation>
    </message>
    <message>
        <source> Try again in {seconds:.0f} s.</source>
        <translation> Versuchen Sie es in {seconds:.0f} s wieder.</translation>
    </message>
    <message>
        <source> and </source>
        <translation> und </translation>
    </message>
    <message>
        <source> and {count} more</source>
        <translation> und {count} weitere</translation>
    </message>
    <message>
        <source> at {clock}</source>
        <translation> um {clock}</translation>
    </message>
    <message>
        <source> at {terminal}</source>
        <translation> an {terminal}</translation>
    </message>
    <message>
        <source> by the HR system {source}</source>
        <translation> durch das Personalsystem {source}</translation>
    </message>
    <message>
        <source> by {actor_name}</source>
        <translation> durch {actor_name}</translation>
    </message>
    <message>
        <source> ms</source>
        <translation> ms</translation>
    </message>
    <message>
        <source> or </source>
        <translation> oder </translation>
    </message>
    <message>
        <source> physical {level}</source>
        <translation> physisch {level}</translation>
    </message>
    <message>
        <source> to the root of {size:,} leaves</source>
        <translation> bis zur Wurzel von {size:,} Blättern</translation>
    </message>
    <message>
        <source> {count:,} more are not listed.</source>
        <translation> {count:,} weitere sind nicht aufgeführt.</translation>
    </message>
    <message>
        <source> {count} tries are left.</source>
        <translation> Noch {count} Versuche.</translation>
    </message>
    <message>
        <source>, 1 way stays open</source>
        <translation>, 1 Weg bleibt offen</translation>
    </message>
    <message>
        <source>, after {time}</source>
        <translation>, nach {time}</translation>
    </message>
    <message>
        <source>, agreed to by {actor}</source>
        <translation>, freigegeben durch {actor}</translation>
    </message>
    <message>
        <source>, and {count} more</source>
        <translation>, dazu {count} weitere</translation>
    </message>
    <message>
        <source>, and {count} words that are no node id</source>
        <translation>, dazu Wörter, die keine Personen-ID sind: {count}</translation>
    </message>
    <message>
        <source>, blank</source>
        <translation>, leer</translation>
    </message>
    <message>
        <source>, card of {holder}</source>
        <translation>, Karte von {holder}</translation>
    </message>
    <message>
        <source>, changed by this site</source>
        <translation>, von diesem Standort geändert</translation>
    </message>
    <message>
        <source>, evidence {evidence}</source>
        <translation>, Nachweis: {evidence}</translation>
    </message>
    <message>
        <source>, here: {near}</source>
        <translation>, hier: {near}</translation>
    </message>
    <message>
        <source>, no evidence</source>
        <translation>, kein Nachweis</translation>
    </message>
    <message>
        <source>, now</source>
        <translation>, jetzt</translation>
    </message>
    <message>
        <source>, printed for {state}</source>
        <translation>, gedruckt für {state}</translation>
    </message>
    <message>
        <source>, signed off by {person}</source>
        <translation>, abgezeichnet von {person}</translation>
    </message>
    <message>
        <source>, the newest {most:,} of a kind</source>
        <translation>, die neuesten {most:,} einer Art</translation>
    </message>
    <message>
        <source>, this one grew</source>
        <translation>, diese wuchs</translation>
    </message>
    <message>
        <source>, until {time}</source>
        <translation>, bis {time}</translation>
    </message>
    <message>
        <source>, {count:,} wait for the quorum</source>
        <translation>, {count:,} warten auf das Quorum</translation>
    </message>
    <message>
        <source>, {count} PIN tries</source>
        <translation>, {count} PIN-Versuche</translation>
    </message>
    <message>
        <source>, {count} of them refused or failed</source>
        <translation>, davon {count} abgelehnt oder fehlgeschlagen</translation>
    </message>
    <message>
        <source>, {count} queued</source>
        <translation>, {count} eingereiht</translation>
    </message>
    <message>
        <source>, {count} still to be sent out</source>
        <translation>, noch auszusenden: {count}</translation>
    </message>
    <message>
        <source>, {count} ways stay open</source>
        <translation>, {count} Wege bleiben offen</translation>
    </message>
    <message>
        <source>, {count} with open targets</source>
        <translation>, mit offenen Zielen: {count}</translation>
    </message>
    <message>
        <source>, {ms:.2f} ms</source>
        <translation>, {ms:.2f} ms</translation>
    </message>
    <message>
        <source>. Each is among the burns.</source>
        <translation>. Jede steht unter „Sperrungen“.</translation>
    </message>
    <message>
        <source>. What doors decided is not shown to your roles.</source>
        <translation>. Was Türen entschieden haben, wird Ihren Rollen nicht gezeigt.</translation>
    </message>
    <message>
        <source>0 independent witnesses: this machine&apos;s own witnesses prove order only.</source>
        <translation>0 unabhängige Zeugen: Die eigenen Zeugen dieses Rechners beweisen nur die Reihenfolge.</translation>
    </message>
    <message>
        <source>0 of {trials:,} searches, so in fewer than {percent:.2f} %</source>
        <translation>0 von {trials:,} Suchen, also in weniger als {percent:.2f} %</translation>
    </message>
    <message>
        <source>0: the sensor need not report any</source>
        <translation>0: Der Sensor muss keinen Wert melden</translation>
    </message>
    <message>
        <source>1 PIN mailer saved</source>
        <translation>1 PIN-Brief gespeichert</translation>
    </message>
    <message>
        <source>1 act</source>
        <translation>1 Handlung</translation>
    </message>
    <message>
        <source>1 address</source>
        <translation>1 Adresse</translation>
    </message>
    <message>
        <source>1 burn</source>
        <translation>1 Sperrung</translation>
    </message>
    <message>
        <source>1 call</source>
        <translation>1 Aufruf</translation>
    </message>
    <message>
        <source>1 cannot do it</source>
        <translation>1 kann es nicht</translation>
    </message>
    <message>
        <source>1 certificate</source>
        <translation>1 Zertifikat</translation>
    </message>
    <message>
        <source>1 certificate of {person} revoked by the burn</source>
        <translation>1 Zertifikat von {person} durch die Sperrung widerrufen</translation>
    </message>
    <message>
        <source>1 day</source>
        <translation>1 Tag</translation>
    </message>
    <message>
        <source>1 difference</source>
        <translation>1 Abweichung</translation>
    </message>
    <message>
        <source>1 door</source>
        <translation>1 Tür</translation>
    </message>
    <message>
        <source>1 door grant ended</source>
        <translation>1 Türberechtigung endete</translation>
    </message>
    <message>
        <source>1 door grant of {person} ended: {standing}</source>
        <translation>1 Türrecht von {person} beendet: {standing}</translation>
    </message>
    <message>
        <source>1 element</source>
        <translation>1 Element</translation>
    </message>
    <message>
        <source>1 element found</source>
        <translation>1 Element gefunden</translation>
    </message>
    <message>
        <source>1 ends within {days} days</source>
        <translation>1 endet binnen {days} Tagen</translation>
    </message>
    <message>
        <source>1 entry, {age} ago</source>
        <translation>1 Eintrag, vor {age}</translation>
    </message>
    <message>
        <source>1 event</source>
        <translation>1 Ereignis</translation>
    </message>
    <message>
        <source>1 event closed.</source>
        <translation>1 Ereignis geschlossen.</translation>
    </message>
    <message>
        <source>1 event in that hour</source>
        <translation>1 Ereignis in jener Stunde</translation>
    </message>
    <message>
        <source>1 event in the last hour</source>
        <translation>1 Ereignis in der letzten Stunde</translation>
    </message>
    <message>
        <source>1 gap</source>
        <translation>1 Lücke</translation>
    </message>
    <message>
        <source>1 has ended</source>
        <translation>1 ist abgelaufen</translation>
    </message>
    <message>
        <source>1 hash{size}</source>
        <translation>1 Hash{size}</translation>
    </message>
    <message>
        <source>1 hour</source>
        <translation>1 Stunde</translation>
    </message>
    <message>
        <source>1 is being asked</source>
        <translation>1 wird gefragt</translation>
    </message>
    <message>
        <source>1 is not proven</source>
        <translation>1 ist nicht bewiesen</translation>
    </message>
    <message>
        <source>1 is offline</source>
        <translation>1 ist offline</translation>
    </message>
    <message>
        <source>1 line</source>
        <translation>1 Zeile</translation>
    </message>
    <message>
        <source>1 matter is muted on this console.</source>
        <translation>1 Sache ist auf dieser Konsole stumm.</translation>
    </message>
    <message>
        <source>1 minute</source>
        <translation>1 Minute</translation>
    </message>
    <message>
        <source>1 more, answered</source>
        <translation>1 weiteres, antwortete</translation>
    </message>
    <message>
        <source>1 more, operational</source>
        <translation>1 weiteres, in Betrieb</translation>
    </message>
    <message>
        <source>1 needs you</source>
        <translation>1 braucht Sie</translation>
    </message>
    <message>
        <source>1 node</source>
        <translation>1 Person</translation>
    </message>
    <message>
        <source>1 of 10^{power:.0f}</source>
        <translation>1 von 10^{power:.0f}</translation>
    </message>
    <message>
        <source>1 of them misses the proof of a door:</source>
        <translation>Bei 1 davon fehlt der Beweis einer Tür:</translation>
    </message>
    <message>
        <source>1 of {count}</source>
        <translation>1 von {count}</translation>
    </message>
    <message>
        <source>1 of {total} lines is not finished and never will be. </source>
        <translation>1 von {total} Zeilen ist nicht fertig und wird es nie mehr. </translation>
    </message>
    <message>
        <source>1 other</source>
        <translation>1 anderer</translation>
    </message>
    <message>
        <source>1 other cluster: no grant</source>
        <translation>1 weitere Türgruppe: keine Berechtigung</translation>
    </message>
    <message>
        <source>1 page</source>
        <translation>1 Seite</translation>
    </message>
    <message>
        <source>1 person</source>
        <translation>1 Person</translation>
    </message>
    <message>
        <source>1 refused the burn</source>
        <translation>1 hat die Sperrung abgelehnt</translation>
    </message>
    <message>
        <source>1 row</source>
        <translation>1 Zeile</translation>
    </message>
    <message>
        <source>1 row is on the clipboard.</source>
        <translation>1 Zeile liegt in der Zwischenablage.</translation>
    </message>
    <message>
        <source>1 seal</source>
        <translation>1 Siegel</translation>
    </message>
    <message>
        <source>1 take with {seconds:.1f} s of speech</source>
        <translation>1 Sprechprobe mit {seconds:.1f} s Sprache</translation>
    </message>
    <message>
        <source>1 takes it when it is back</source>
        <translation>1 übernimmt ihn, sobald sie zurück ist</translation>
    </message>
    <message>
        <source>1 target</source>
        <translation>1 Ziel</translation>
    </message>
    <message>
        <source>1 template in {registries}</source>
        <translation>1 Template in {registries}</translation>
    </message>
    <message>
        <source>1 template of {person} enrolled</source>
        <translation>1 Template von {person} erfasst</translation>
    </message>
    <message>
        <source>1 template of {person} erased</source>
        <translation>1 Template von {person} gelöscht</translation>
    </message>
    <message>
        <source>1 template of {person} erased from every registry.</source>
        <translation>1 Template von {person} aus allen Registern gelöscht.</translation>
    </message>
    <message>
        <source>1 thing to do</source>
        <translation>1 Sache zu tun</translation>
    </message>
    <message>
        <source>1 to 1,000 characters.</source>
        <translation>1 bis 1.000 Zeichen.</translation>
    </message>
    <message>
        <source>1 to 200 characters.</source>
        <translation>1 bis 200 Zeichen.</translation>
    </message>
    <message>
        <source>1 to 25 files: 512 signed bytes or 512 float32 features each.</source>
        <translation>1 bis 25 Dateien: je 512 vorzeichenbehaftete Bytes oder 512 float32-Merkmale.</translation>
    </message>
    <message>
        <source>1 to 32 purposes, one a line, each at most 200 characters.</source>
        <translation>1 bis 32 Zwecke, einer je Zeile, jeder höchstens 200 Zeichen.</translation>
    </message>
    <message>
        <source>1 to 32 things, one a line, each at most 200 characters.</source>
        <translation>1 bis 32 Angaben, eine je Zeile, jede höchstens 200 Zeichen.</translation>
    </message>
    <message>
        <source>1 to 4000 characters, of a platform that is called.</source>
        <translation>1 bis 4000 Zeichen, bei einer Plattform, die aufgerufen wird.</translation>
    </message>
    <message>
        <source>1 to 4000 characters.</source>
        <translation>1 bis 4000 Zeichen.</translation>
    </message>
    <message>
        <source>1 to 500 characters.</source>
        <translation>1 bis 500 Zeichen.</translation>
    </message>
    <message>
        <source>1 to 512 characters.</source>
        <translation>1 bis 512 Zeichen.</translation>
    </message>
    <message>
        <source>1 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit.</source>
        <translation>1 bis 64 Buchstaben, Ziffern, Punkt, Bindestrich, Unterstrich und Doppelpunkt, am Anfang ein Buchstabe oder eine Ziffer.</translation>
    </message>
    <message>
        <source>1 to {most} node ids; these are {count}.</source>
        <translation>1 bis {most} Personen-IDs; hier sind es {count}.</translation>
    </message>
    <message>
        <source>1 waits</source>
        <translation>1 wartet</translation>
    </message>
    <message>
        <source>1 waits for {whom}</source>
        <translation>1 wartet auf {whom}</translation>
    </message>
    <message>
        <source>1 was given up</source>
        <translation>1 wurde aufgegeben</translation>
    </message>
    <message>
        <source>1 was written before this console looked: it may be given already.</source>
        <translation>1 war geschrieben, ehe diese Konsole hinsah: Sie kann schon ausgegeben sein.</translation>
    </message>
    <message>
        <source>1 way</source>
        <translation>1 Weg</translation>
    </message>
    <message>
        <source>1 witness cosigned it at {time}</source>
        <translation>1 Zeuge hat um {time} mitgezeichnet</translation>
    </message>
    <message>
        <source>1 witness is run by others; this machine&apos;s own prove order only.</source>
        <translation>1 Zeuge wird von anderen betrieben; die eigenen dieses Rechners beweisen nur die Reihenfolge.</translation>
    </message>
    <message>
        <source>1, 2, 3 or 4, or nothing.</source>
        <translation>1, 2, 3 oder 4, oder nichts.</translation>
    </message>
    <message>
        <source>1, 2, 3 or 4; needed for FIPS 140.</source>
        <translation>1, 2, 3 oder 4; nötig für FIPS 140.</translation>
    </message>
    <message>
        <source>1, crease map</source>
        <translation>1, Linienbild</translation>
    </message>
    <message>
        <source>1, in the order of the list</source>
        <translation>1, in der Folge der Liste</translation>
    </message>
    <message>
        <source>1. Check the bundle without asking the site: arc-console verify BUNDLE.zip --trust DIR. It judges whether the site signed it and whether report and pictures are those that were signed. HOW-TO-VERIFY.txt in the bundle says where DIR comes from, and how other programs check it.</source>
        <translation>1. Prüfen Sie das Paket, ohne den Standort zu fragen: arc-console verify BUNDLE.zip --trust DIR. Damit wird beurteilt, ob der Standort es signiert hat und ob Bericht und Bilder die signierten sind. HOW-TO-VERIFY.txt im Paket sagt, woher DIR kommt und wie andere Programme es prüfen.</translation>
    </message>
    <message>
        <source>14:32:07 or 14:32 in UTC, with its date ({date}) for another day, or -5m, -3h, -2d. Enter goes there, Esc closes.</source>
        <translation>14:32:07 oder 14:32 in UTC, mit Datum ({date}) für einen anderen Tag, oder -5m, -3h, -2d. Eingabe geht dorthin, Esc schließt.</translation>
    </message>
    <message>
        <source>14:32:07 or 14:32 in {zone}, 14:32Z in UTC, with its date ({date}) for another day, or -5m, -3h, -2d. Enter goes there, Esc closes.</source>
        <translation>14:32:07 oder 14:32 in {zone}, 14:32Z in UTC, mit Datum ({date}) für einen anderen Tag, oder -5m, -3h, -2d. Eingabe geht dorthin, Esc schließt.</translation>
    </message>
    <message>
        <source>16 to 500 characters, without a space at either end.</source>
        <translation>16 bis 500 Zeichen, ohne Leerzeichen am Anfang oder Ende.</translation>
    </message>
    <message>
        <source>2 to 200 characters.</source>
        <translation>2 bis 200 Zeichen.</translation>
    </message>
    <message>
        <source>2. Compare the SHA-256 of the media above with that of the file that you have: the result is of these bytes alone. The media are not in the bundle.</source>
        <translation>2. Vergleichen Sie die SHA-256 des Mediums oben mit der Ihrer Datei: Das Ergebnis gilt allein für diese Bytes. Das Medium ist nicht im Paket.</translation>
    </message>
    <message>
        <source>20 to 5,000 characters.</source>
        <translation>20 bis 5.000 Zeichen.</translation>
    </message>
    <message>
        <source>2026-01-31 14:32:07, 2026-01-31, or 14:32 for today; zone {zone}, with Z: UTC</source>
        <translation>2026-01-31 14:32:07, 2026-01-31, oder 14:32 für heute; Zone {zone}, mit Z: UTC</translation>
    </message>
    <message>
        <source>24 h before</source>
        <translation>24 h davor</translation>
    </message>
    <message>
        <source>24 hours to {clock}</source>
        <translation>24 Stunden bis {clock}</translation>
    </message>
    <message>
        <source>3 to 64 letters, digits, dot, dash, underscore and colon, beginning with a letter or digit.</source>
        <translation>3 bis 64 Buchstaben, Ziffern, Punkt, Bindestrich, Unterstrich und Doppelpunkt, am Anfang ein Buchstabe oder eine Ziffer.</translation>
    </message>
    <message>
        <source>3. Whether the verdict is right, no signature tells: judge its false-alarm rate and its evidence.</source>
        <translation>3. Ob das Urteil richtig ist, sagt keine Signatur: Beurteilen Sie Fehlalarmrate und Belege.</translation>
    </message>
    <message>
        <source>30 d before</source>
        <translation>30 d davor</translation>
    </message>
    <message>
        <source>30 days</source>
        <translation>30 Tage</translation>
    </message>
    <message>
        <source>30 days to {clock}</source>
        <translation>30 Tage bis {clock}</translation>
    </message>
    <message>
        <source>32, 48 or 64 hexadecimal digits</source>
        <translation>32, 48 oder 64 Hexadezimalziffern</translation>
    </message>
    <message>
        <source>32, 48 or 64 hexadecimal digits.</source>
        <translation>32, 48 oder 64 Hexadezimalziffern.</translation>
    </message>
    <message>
        <source>4 to 40 digits, with + ( ) . / - and spaces between them.</source>
        <translation>4 bis 40 Ziffern, dazwischen + ( ) . / - und Leerzeichen.</translation>
    </message>
    <message>
        <source>5 to 500 characters.</source>
        <translation>5 bis 500 Zeichen.</translation>
    </message>
    <message>
        <source>512 float32 features</source>
        <translation>512 float32-Merkmale</translation>
    </message>
    <message>
        <source>512 signed bytes</source>
        <translation>512 vorzeichenbehaftete Bytes</translation>
    </message>
    <message>
        <source>512 signed bytes, made under the registry&apos;s key.</source>
        <translation>512 vorzeichenbehaftete Bytes, erstellt unter dem Schlüssel des Registers.</translation>
    </message>
    <message>
        <source>6 h before</source>
        <translation>6 h davor</translation>
    </message>
    <message>
        <source>6 hours to {clock}</source>
        <translation>6 Stunden bis {clock}</translation>
    </message>
    <message>
        <source>6 to 8 digits.</source>
        <translation>6 bis 8 Ziffern.</translation>
    </message>
    <message>
        <source>6 to 8 letters, digits or signs.</source>
        <translation>6 bis 8 Buchstaben, Ziffern oder Zeichen.</translation>
    </message>
    <message>
        <source>64 hexadecimal digits</source>
        <translation>64 Hexadezimalziffern</translation>
    </message>
    <message>
        <source>64 hexadecimal digits.</source>
        <translation>64 Hexadezimalziffern.</translation>
    </message>
    <message>
        <source>7 d before</source>
        <translation>7 d davor</translation>
    </message>
    <message>
        <source>7 days</source>
        <translation>7 Tage</translation>
    </message>
    <message>
        <source>7 days to {clock}</source>
        <translation>7 Tage bis {clock}</translation>
    </message>
    <message>
        <source>8 hours</source>
        <translation>8 Stunden</translation>
    </message>
    <message>
        <source>86 characters</source>
        <translation>86 Zeichen</translation>
    </message>
    <message>
        <source>90 s, 15 min, 8 h, 2 d; at most 7 d</source>
        <translation>90 s, 15 min, 8 h, 2 d; höchstens 7 d</translation>
    </message>
    <message>
        <source>95 % WITHIN</source>
        <translation>95 % binnen</translation>
    </message>
    <message>
        <source>95 of 100 repaints took less.</source>
        <translation>95 von 100 Bildaufbauten dauerten kürzer.</translation>
    </message>
    <message>
        <source>96, 144 or 192 hexadecimal digits.</source>
        <translation>96, 144 oder 192 Hexadezimalziffern.</translation>
    </message>
    <message>
        <source>99 of 100 API calls took less.</source>
        <translation>99 von 100 API-Aufrufen dauerten kürzer.</translation>
    </message>
    <message>
        <source>; 1 stamp of outside authorities, over later ones</source>
        <translation>; 1 Stempel fremder Stellen, über spätere</translation>
    </message>
    <message>
        <source>; it keeps a list of its own</source>
        <translation>; sie führt eine eigene Liste</translation>
    </message>
    <message>
        <source>; {count} stamps of outside authorities, over later ones</source>
        <translation>; {count} Stempel fremder Stellen, über spätere</translation>
    </message>
    <message>
        <source>A C2SP tlog-proof file: place, path, and the newest checkpoint with its witnesses.</source>
        <translation>Eine C2SP-tlog-proof-Datei: Platz, Pfad und der neueste Checkpoint mit seinen Zeugen.</translation>
    </message>
    <message>
        <source>A CSV of elements. All lines are checked before the first one is sent.</source>
        <translation>Eine CSV-Datei von Elementen. Alle Zeilen werden geprüft, bevor die erste gesendet wird.</translation>
    </message>
    <message>
        <source>A Citadel key changes this list</source>
        <translation>Ein Citadel-Schlüssel ändert diese Liste</translation>
    </message>
    <message>
        <source>A PIN reset heals it: open {holder}&apos;s card in History and ask for one.</source>
        <translation>Eine PIN-Rücksetzung behebt es: Öffnen Sie die Karte von {holder} im Verlauf und fordern Sie sie an.</translation>
    </message>
    <message>
        <source>A Sovereign key does not see what was scanned.</source>
        <translation>Ein Sovereign-Schlüssel sieht nicht, was geprüft wurde.</translation>
    </message>
    <message>
        <source>A batch takes {most} lines; this one is over.</source>
        <translation>Ein Stapel fasst {most} Zeilen; diese ist darüber.</translation>
    </message>
    <message>
        <source>A burn could not act there now: {found}.</source>
        <translation>Eine Sperrung könnte dort jetzt nicht wirken: {found}.</translation>
    </message>
    <message>
        <source>A burn is not on disk</source>
        <translation>Eine Sperrung liegt nicht auf der Platte</translation>
    </message>
    <message>
        <source>A burn is not proven everywhere</source>
        <translation>Eine Sperrung ist nicht überall bewiesen</translation>
    </message>
    <message>
        <source>A burn names an id that nobody has</source>
        <translation>Eine Sperrung nennt eine ID, die niemand hat</translation>
    </message>
    <message>
        <source>A burn needs somebody</source>
        <translation>Eine Sperrung braucht jemanden</translation>
    </message>
    <message>
        <source>A burn would touch 1 target</source>
        <translation>Eine Sperrung beträfe 1 Ziel</translation>
    </message>
    <message>
        <source>A burn would touch {count} targets</source>
        <translation>Eine Sperrung beträfe {count} Ziele</translation>
    </message>
    <message>
        <source>A burned badge was shown</source>
        <translation>Ein gesperrter Ausweis wurde gezeigt</translation>
    </message>
    <message>
        <source>A burned badge was shown at a door</source>
        <translation>Ein gesperrter Ausweis wurde an einer Tür gezeigt</translation>
    </message>
    <message>
        <source>A burned badge was shown at {reader}</source>
        <translation>Ein gesperrter Ausweis wurde an {reader} gezeigt</translation>
    </message>
    <message>
        <source>A burned badge, a held discharge, a frame that is down or a burn without full proof would stand here.</source>
        <translation>Hier stünden ein gesperrter Ausweis, eine angehaltene Entlassung, ein ausgefallenes Frame oder eine Sperrung ohne vollen Beweis.</translation>
    </message>
    <message>
        <source>A burned person is not checked any more.</source>
        <translation>Eine gesperrte Person wird nicht mehr geprüft.</translation>
    </message>
    <message>
        <source>A cancelled batch cannot go on: make a new list of who is left.</source>
        <translation>Ein abgebrochener Stapel kann nicht fortgesetzt werden: Erstellen Sie eine neue Liste der Übrigen.</translation>
    </message>
    <message>
        <source>A card</source>
        <translation>Eine Karte</translation>
    </message>
    <message>
        <source>A card is being written</source>
        <translation>Eine Karte wird geschrieben</translation>
    </message>
    <message>
        <source>A card maker&apos;s list was changed</source>
        <translation>Die Liste eines Kartenherstellers wurde geändert</translation>
    </message>
    <message>
        <source>A card of {name} is lost</source>
        <translation>Eine Karte von {name} ist verloren</translation>
    </message>
    <message>
        <source>A card or token as it was bought. What is declared counts as evidence only where the site accepts it.</source>
        <translation>Eine Karte oder ein Token wie gekauft. Angaben gelten nur dort als Nachweis, wo der Standort sie annimmt.</translation>
    </message>
    <message>
        <source>A card or token by its hardware_uid.</source>
        <translation>Eine Karte oder ein Token mit seiner hardware_uid.</translation>
    </message>
    <message>
        <source>A card proves its make and its FIPS mark by a certificate of its maker. The site believes that of the makers that are trusted here, from the next card on.</source>
        <translation>Eine Karte beweist Bauart und FIPS-Kennzeichnung durch ein Zertifikat ihres Herstellers. Der Standort glaubt dem der hier zugelassenen Hersteller, ab der nächsten Karte.</translation>
    </message>
    <message>
        <source>A card stands here once it is written.</source>
        <translation>Hier steht eine Karte, sobald sie geschrieben ist.</translation>
    </message>
    <message>
        <source>A cell is longer than {most:,} characters.</source>
        <translation>Eine Zelle ist länger als {most:,} Zeichen.</translation>
    </message>
    <message>
        <source>A child of this console gets a new key at every start.</source>
        <translation>Ein Kindprozess dieser Konsole erhält bei jedem Start einen neuen Schlüssel.</translation>
    </message>
    <message>
        <source>A clock was moved</source>
        <translation>Eine Uhr wurde verstellt</translation>
    </message>
    <message>
        <source>A cluster is the doors that are granted as one. Register the first, then pair its readers.</source>
        <translation>Eine Türgruppe umfasst die Türen, für die gemeinsam berechtigt wird. Registrieren Sie die erste, und koppeln Sie dann ihre Lesegeräte.</translation>
    </message>
    <message>
        <source>A consensus seal is 0x and 64 hexadecimal digits.</source>
        <translation>Ein Konsens-Siegel ist 0x und 64 Hexadezimalziffern.</translation>
    </message>
    <message>
        <source>A consent ended</source>
        <translation>Einwilligung beendet</translation>
    </message>
    <message>
        <source>A consent ended with the burn</source>
        <translation>Einwilligung mit der Sperrung beendet</translation>
    </message>
    <message>
        <source>A consent of {person} ended</source>
        <translation>Eine Einwilligung von {person} endete</translation>
    </message>
    <message>
        <source>A consent of {person} ended with the burn</source>
        <translation>Eine Einwilligung von {person} endete mit der Sperrung</translation>
    </message>
    <message>
        <source>A consent of {person} was sealed</source>
        <translation>Eine Einwilligung von {person} wurde versiegelt</translation>
    </message>
    <message>
        <source>A consent of {person} was withdrawn</source>
        <translation>Eine Einwilligung von {person} wurde zurückgezogen</translation>
    </message>
    <message>
        <source>A consent was sealed</source>
        <translation>Einwilligung versiegelt</translation>
    </message>
    <message>
        <source>A consent was withdrawn</source>
        <translation>Einwilligung zurückgezogen</translation>
    </message>
    <message>
        <source>A contained person is not checked until they are released.</source>
        <translation>Eine festgesetzte Person wird nicht geprüft, bis sie freigegeben ist.</translation>
    </message>
    <message>
        <source>A copied palm was presented</source>
        <translation>Eine kopierte Handfläche wurde vorgelegt</translation>
    </message>
    <message>
        <source>A copied template was presented</source>
        <translation>Ein kopiertes Template wurde vorgelegt</translation>
    </message>
    <message>
        <source>A country as DE, or one of its parts as US-CA.</source>
        <translation>Ein Land wie DE oder einer seiner Teile wie US-CA.</translation>
    </message>
    <message>
        <source>A date and a time, as 2026-01-31 14:32.</source>
        <translation>Datum und Uhrzeit, wie 2026-01-31 14:32.</translation>
    </message>
    <message>
        <source>A day such as 2027-01-31, with or without a time such as 18:00.</source>
        <translation>Ein Tag wie 2027-01-31, mit oder ohne Uhrzeit wie 18:00.</translation>
    </message>
    <message>
        <source>A declaration needs somebody</source>
        <translation>Eine Erklärung braucht jemanden</translation>
    </message>
    <message>
        <source>A directory of this id is there already.</source>
        <translation>Ein Verzeichnis mit dieser ID gibt es schon.</translation>
    </message>
    <message>
        <source>A distinguished name, such as cn=arc,dc=example,dc=org.</source>
        <translation>Ein Distinguished Name, wie cn=arc,dc=example,dc=org.</translation>
    </message>
    <message>
        <source>A distinguished name, such as dc=example,dc=org.</source>
        <translation>Ein Distinguished Name, wie dc=example,dc=org.</translation>
    </message>
    <message>
        <source>A door refused the burned badge of {person}</source>
        <translation>Eine Tür wies den gesperrten Ausweis von {person} ab</translation>
    </message>
    <message>
        <source>A door that is offline waits for burns.</source>
        <translation>Eine Tür, die offline ist, wartet auf Sperrungen.</translation>
    </message>
    <message>
        <source>A drill burns it for real, at drill targets alone; every record says DRILL.</source>
        <translation>Eine Übung sperrt sie wirklich, aber nur an Übungszielen; jede Aufzeichnung nennt sie eine Übung.</translation>
    </message>
    <message>
        <source>A drill identity: the real fan-out, to drill targets alone. Nobody real loses access.</source>
        <translation>Eine Übungsidentität: echte Verteilung, aber nur an Übungsziele. Kein echter Mensch verliert Zugang.</translation>
    </message>
    <message>
        <source>A drill, {age} ago</source>
        <translation>Eine Übung, vor {age}</translation>
    </message>
    <message>
        <source>A face is no finding</source>
        <translation>Ein Gesicht ist kein Befund</translation>
    </message>
    <message>
        <source>A feed is scanned frame by frame until it is stopped. Its score, what had to be dropped and what was found stand here.</source>
        <translation>Ein Feed wird Bild für Bild geprüft, bis er angehalten wird. Sein Wert, was verworfen werden musste und was gefunden wurde, stehen hier.</translation>
    </message>
    <message>
        <source>A file may also be dropped anywhere on this page.</source>
        <translation>Sie können eine Datei auch irgendwo auf diese Seite ziehen.</translation>
    </message>
    <message>
        <source>A file: nobody saw who spoke, or when.</source>
        <translation>Eine Datei: Niemand sah, wer sprach und wann.</translation>
    </message>
    <message>
        <source>A finished card has one: signed by the site, verifiable by anybody. Badge and label are made here too.</source>
        <translation>Eine fertige Karte hat einen: vom Standort signiert, von jedem prüfbar. Auch Ausweis und Etikett entstehen hier.</translation>
    </message>
    <message>
        <source>A frame under maintenance is probed and never an alarm.</source>
        <translation>Ein Frame in Wartung wird geprüft und ist nie ein Alarm.</translation>
    </message>
    <message>
        <source>A global burn locks the person&apos;s account there, or ends the sessions. Where that can be read back it is.</source>
        <translation>Eine globale Sperrung sperrt dort das Konto der Person oder beendet die Sitzungen. Wo sich das zurücklesen lässt, geschieht es.</translation>
    </message>
    <message>
        <source>A host name or address and a port, such as 10.0.0.17:8443 or [fd00::17]:8443.</source>
        <translation>Ein Hostname oder eine Adresse und ein Port, wie 10.0.0.17:8443 oder [fd00::17]:8443.</translation>
    </message>
    <message>
        <source>A key is arc_cit_ or arc_sov_ and 38 letters and digits.</source>
        <translation>Ein Schlüssel ist arc_cit_ oder arc_sov_ und 38 Buchstaben und Ziffern.</translation>
    </message>
    <message>
        <source>A key is needed</source>
        <translation>Ein Schlüssel ist nötig</translation>
    </message>
    <message>
        <source>A known person was enrolled again</source>
        <translation>Eine bekannte Person wurde noch einmal erfasst</translation>
    </message>
    <message>
        <source>A line for each law: code, channel (mail, https or form), address.</source>
        <translation>Eine Zeile je Gesetz: Kürzel, Kanal (mail, https oder form), Adresse.</translation>
    </message>
    <message>
        <source>A list is missing.</source>
        <translation>Es fehlt eine Liste.</translation>
    </message>
    <message>
        <source>A listing of the GSA has no levels; leave it empty.</source>
        <translation>Ein Eintrag der GSA hat keine Stufen; lassen Sie es leer.</translation>
    </message>
    <message>
        <source>A live check of the person stood within 15 minutes before the consent was sealed.</source>
        <translation>Eine Live-Prüfung der Person lag höchstens 15 Minuten vor dem Versiegeln der Einwilligung.</translation>
    </message>
    <message>
        <source>A living voice, but not the enrolled one.</source>
        <translation>Eine lebende Stimme, aber nicht die erfasste.</translation>
    </message>
    <message>
        <source>A locked desk shows what is wrong, never who. It takes no action.</source>
        <translation>Ein verriegelter Arbeitsplatz zeigt, was nicht stimmt, nie wer. Er nimmt keine Aktion an.</translation>
    </message>
    <message>
        <source>A mail address, or a URL that begins with https://.</source>
        <translation>Eine E-Mail-Adresse oder eine URL, die mit https:// beginnt.</translation>
    </message>
    <message>
        <source>A mark of this console, until it ends: the service does not keep it.</source>
        <translation>Ein Vermerk dieser Konsole, bis sie endet: Der Dienst behält ihn nicht.</translation>
    </message>
    <message>
        <source>A master key, diversified by each card</source>
        <translation>Ein Hauptschlüssel, je Karte abgeleitet</translation>
    </message>
    <message>
        <source>A media type, as image/png.</source>
        <translation>Ein Medientyp wie image/png.</translation>
    </message>
    <message>
        <source>A medium that the consent is about</source>
        <translation>Ein Medium, das die Einwilligung betrifft</translation>
    </message>
    <message>
        <source>A new PIN for a card, or a card for somebody else: one Citadel key asks here, another one agrees.</source>
        <translation>Eine neue PIN für eine Karte oder eine Karte für jemand anderen: Ein Citadel-Schlüssel fordert hier an, ein anderer stimmt zu.</translation>
    </message>
    <message>
        <source>A new secret; the old one opens for a while more.</source>
        <translation>Ein neues Geheimnis; das alte gilt noch eine Weile.</translation>
    </message>
    <message>
        <source>A notice could not be delivered</source>
        <translation>Eine Meldung konnte nicht zugestellt werden</translation>
    </message>
    <message>
        <source>A number from 0 to 100.</source>
        <translation>Eine Zahl von 0 bis 100.</translation>
    </message>
    <message>
        <source>A number from 1 to 1000.</source>
        <translation>Eine Zahl von 1 bis 1000.</translation>
    </message>
    <message>
        <source>A number from 100 to 30000, or nothing.</source>
        <translation>Eine Zahl von 100 bis 30000 oder nichts.</translation>
    </message>
    <message>
        <source>A palm scanner or a code screen, by its public key.</source>
        <translation>Ein Handflächenscanner oder ein Code-Bildschirm, mit seinem öffentlichen Schlüssel.</translation>
    </message>
    <message>
        <source>A palm scanner or a screen with the rotating code: it is believed by its public key, from the moment that it stands here.</source>
        <translation>Ein Handflächenscanner oder ein Bildschirm mit dem wechselnden Code: Ihm wird aufgrund seines öffentlichen Schlüssels geglaubt, sobald er hier steht.</translation>
    </message>
    <message>
        <source>A partner&apos;s system, an HR system or a script calls this service with a key of its own, so that what it did can be told apart and ended alone.</source>
        <translation>Das System eines Partners, ein Personalsystem oder ein Skript ruft diesen Dienst mit eigenem Schlüssel auf, damit sich sein Tun unterscheiden und einzeln beenden lässt.</translation>
    </message>
    <message>
        <source>A passphrase has at least {count} characters.</source>
        <translation>Eine Passphrase hat mindestens {count} Zeichen.</translation>
    </message>
    <message>
        <source>A person decides</source>
        <translation>Ein Mensch entscheidet</translation>
    </message>
    <message>
        <source>A person stands as unverified until a live check of theirs succeeds; writing a card is one.</source>
        <translation>Eine Person gilt als nicht verifiziert, bis eine Live-Prüfung gelingt; das Schreiben einer Karte ist eine.</translation>
    </message>
    <message>
        <source>A person would fill in the platform&apos;s form</source>
        <translation>Eine Person würde das Formular der Plattform ausfüllen</translation>
    </message>
    <message>
        <source>A place of up to 200 characters, or nothing.</source>
        <translation>Ein Ort von bis zu 200 Zeichen, oder nichts.</translation>
    </message>
    <message>
        <source>A platform of this id is there already.</source>
        <translation>Eine Plattform mit dieser ID gibt es schon.</translation>
    </message>
    <message>
        <source>A private key is in it: nobody needs that here. Give certificates alone.</source>
        <translation>Sie enthält einen privaten Schlüssel: Den braucht hier niemand. Geben Sie nur Zertifikate an.</translation>
    </message>
    <message>
        <source>A public JSON Web Key on P-256, as the terminal shows it. Never a private one.</source>
        <translation>Ein öffentlicher JSON Web Key auf P-256, wie ihn das Terminal anzeigt. Nie ein privater.</translation>
    </message>
    <message>
        <source>A public JSON Web Key, Ed25519 or P-256, as the terminal shows it. Never a private one.</source>
        <translation>Ein öffentlicher JSON Web Key, Ed25519 oder P-256, wie ihn das Terminal anzeigt. Nie ein privater.</translation>
    </message>
    <message>
        <source>A quiet feed is watched, not proven: frames that were dropped were not looked at.</source>
        <translation>Ein stiller Feed ist überwacht, nicht bewiesen: Verworfene Bilder wurden nicht angesehen.</translation>
    </message>
    <message>
        <source>A quotation mark that opens here is never closed; what follows could not be read.</source>
        <translation>Ein hier öffnendes Anführungszeichen wird nie geschlossen; was folgt, ließ sich nicht lesen.</translation>
    </message>
    <message>
        <source>A recording (WAV or FLAC, 1 to 30 s) may be opened or dropped here. What it holds is drawn here.</source>
        <translation>Sie können hier eine Aufnahme (WAV oder FLAC, 1 bis 30 s) öffnen oder ablegen. Was sie enthält, wird hier gezeichnet.</translation>
    </message>
    <message>
        <source>A recording is checked once: the second time it counts as replayed.</source>
        <translation>Eine Aufnahme wird einmal geprüft: Beim zweiten Mal gilt sie als wiederholt vorgelegt.</translation>
    </message>
    <message>
        <source>A recording of speech</source>
        <translation>Eine Sprachaufnahme</translation>
    </message>
    <message>
        <source>A registered frame is probed each second by a full mutual TLS handshake; its latency appears here.</source>
        <translation>Ein registriertes Frame wird jede Sekunde mit einem vollen gegenseitigen TLS-Handshake geprüft; seine Latenz erscheint hier.</translation>
    </message>
    <message>
        <source>A registered person can be given a card, granted doors, and burned.</source>
        <translation>Eine registrierte Person kann eine Karte und Türberechtigungen erhalten und gesperrt werden.</translation>
    </message>
    <message>
        <source>A registry of this id is there already.</source>
        <translation>Ein Register mit dieser ID gibt es schon.</translation>
    </message>
    <message>
        <source>A report is over a year at most.</source>
        <translation>Ein Bericht umfasst höchstens ein Jahr.</translation>
    </message>
    <message>
        <source>A report says that it reached the mailbox.</source>
        <translation>Ein Bericht sagt, dass sie das Postfach erreicht hat.</translation>
    </message>
    <message>
        <source>A revocation list could not be signed</source>
        <translation>Eine Sperrliste konnte nicht signiert werden</translation>
    </message>
    <message>
        <source>A rotating code was shown a second time</source>
        <translation>Ein wechselnder Code wurde zum zweiten Mal gezeigt</translation>
    </message>
    <message>
        <source>A scan (scan_…), a seal (KNOT-…, 0x…), a SHA-256, or your own reference</source>
        <translation>Eine Prüfung (scan_…), ein Siegel (KNOT-…, 0x…), eine SHA-256 oder Ihre eigene Referenz</translation>
    </message>
    <message>
        <source>A scan tells where a picture or video differs from itself, and how often untouched ones look the same.</source>
        <translation>Eine Prüfung zeigt, wo ein Bild oder Video von sich selbst abweicht und wie oft unveränderte ebenso aussehen.</translation>
    </message>
    <message>
        <source>A scanner types here   F9</source>
        <translation>Ein Scanner tippt hier   F9</translation>
    </message>
    <message>
        <source>A score is worth what its false-alarm rate says, never more.</source>
        <translation>Ein Wert bedeutet, was seine Fehlalarmrate sagt, nie mehr.</translation>
    </message>
    <message>
        <source>A seal says who agreed to what and when. Witnesses cosign its place in a log that only grows, so that anybody can verify it later without asking this site.</source>
        <translation>Ein Siegel sagt, wer wann wozu eingewilligt hat. Zeugen unterzeichnen seinen Platz in einem Protokoll mit, das nur wächst, damit jeder es später prüfen kann, ohne diesen Standort zu fragen.</translation>
    </message>
    <message>
        <source>A second person is asked for</source>
        <translation>Eine zweite Person wird verlangt</translation>
    </message>
    <message>
        <source>A second secret is taken beside the one in use.</source>
        <translation>Ein zweites Geheimnis gilt neben dem bisherigen.</translation>
    </message>
    <message>
        <source>A server frame does not answer</source>
        <translation>Ein Server-Frame antwortet nicht</translation>
    </message>
    <message>
        <source>A server frame is probed each second by a full mutual TLS handshake with the site&apos;s certificate.</source>
        <translation>Ein Server-Frame wird jede Sekunde mit einem vollen gegenseitigen TLS-Handshake geprüft, mit dem Zertifikat des Standorts.</translation>
    </message>
    <message>
        <source>A server frame that is probed each second.</source>
        <translation>Ein Server-Frame, das jede Sekunde geprüft wird.</translation>
    </message>
    <message>
        <source>A signed bundle of the entries of the audit log that tell of it.</source>
        <translation>Ein signiertes Bündel der Einträge des Protokolls, die davon erzählen.</translation>
    </message>
    <message>
        <source>A sound for each card of a batch</source>
        <translation>Ein Ton für jede Karte eines Stapels</translation>
    </message>
    <message>
        <source>A sound for each card: written, needs you, failed. Kept in the preferences.</source>
        <translation>Ein Ton für jede Karte: geschrieben, braucht Sie, fehlgeschlagen. Steht in den Voreinstellungen.</translation>
    </message>
    <message>
        <source>A sound until somebody has taken an alarm</source>
        <translation>Ein Ton, bis jemand den Alarm übernommen hat</translation>
    </message>
    <message>
        <source>A source is an HR system with the secret that it signs with. Its calls are refused until it stands here.</source>
        <translation>Eine Quelle ist ein Personalsystem mit dem Geheimnis, mit dem es signiert. Seine Aufrufe werden abgelehnt, bis es hier steht.</translation>
    </message>
    <message>
        <source>A source of this id is there already.</source>
        <translation>Eine Quelle mit dieser ID gibt es bereits.</translation>
    </message>
    <message>
        <source>A strike is a signed declaration that platforms must take seriously. Fill in the draft above and issue it: its notices stand here until each has come to its end.</source>
        <translation>Ein Vorgang ist eine signierte Erklärung, die Plattformen ernst nehmen müssen. Füllen Sie den Entwurf oben aus, und stellen Sie ihn aus: Seine Meldungen stehen hier, bis jede abgeschlossen ist.</translation>
    </message>
    <message>
        <source>A strike that names no platform means this one, too.</source>
        <translation>Ein Vorgang, der keine Plattform nennt, meint auch diese.</translation>
    </message>
    <message>
        <source>A stylized template</source>
        <translation>Ein stilisiertes Template</translation>
    </message>
    <message>
        <source>A stylized template has {signed} bytes (512 signed bytes), or {features:,} bytes (512 float32 features, little-endian)</source>
        <translation>Ein stilisiertes Template hat {signed} Byte (512 vorzeichenbehaftete Bytes) oder {features:,} Byte (512 float32-Merkmale, Little Endian)</translation>
    </message>
    <message>
        <source>A system elsewhere that a burn must reach.</source>
        <translation>Ein System anderswo, das eine Sperrung erreichen muss.</translation>
    </message>
    <message>
        <source>A system that notices go to.</source>
        <translation>Ein System, an das Meldungen gehen.</translation>
    </message>
    <message>
        <source>A target is not proven yet</source>
        <translation>Ein Ziel ist noch nicht bewiesen</translation>
    </message>
    <message>
        <source>A terminal of this id is there already.</source>
        <translation>Ein Terminal mit dieser ID gibt es schon.</translation>
    </message>
    <message>
        <source>A terminal that decides alone may still match by its last bundle until it has taken a new one; unplugged, until that bundle ends (not_after).</source>
        <translation>Ein Terminal, das allein entscheidet, kann nach seinem letzten Paket weiter Treffer liefern, bis es ein neues übernommen hat; vom Netz getrennt, bis dieses Paket endet (not_after).</translation>
    </message>
    <message>
        <source>A terminal without a line writes to a file that it opened, checked and kept its bundle, and signs that. {meaning}</source>
        <translation>Ein Terminal ohne Leitung schreibt in eine Datei, dass es sein Paket geöffnet, geprüft und behalten hat, und signiert das. {meaning}</translation>
    </message>
    <message>
        <source>A trial reads and changes nothing: it says whether a burn could act there now.</source>
        <translation>Eine Probe liest und ändert nichts: Sie sagt, ob eine Sperrung dort jetzt wirken könnte.</translation>
    </message>
    <message>
        <source>A wall display is shown</source>
        <translation>Eine Wandanzeige wird gezeigt</translation>
    </message>
    <message>
        <source>A write of it was refused.</source>
        <translation>Ein Schreiben auf sie wurde abgelehnt.</translation>
    </message>
    <message>
        <source>A year</source>
        <translation>Ein Jahr</translation>
    </message>
    <message>
        <source>ACCESS</source>
        <translation>ZUTRITT</translation>
    </message>
    <message>
        <source>ACTION</source>
        <translation>Maßnahme</translation>
    </message>
    <message>
        <source>ADDRESS</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>AFFILIATION</source>
        <translation>ZUGEHÖRIGKEIT</translation>
    </message>
    <message>
        <source>AFTER</source>
        <translation>Nach</translation>
    </message>
    <message>
        <source>AGE</source>
        <translation>Alter</translation>
    </message>
    <message>
        <source>ALARM</source>
        <translation>Alarm</translation>
    </message>
    <message>
        <source>ALGORITHM</source>
        <translation>Algorithmus</translation>
    </message>
    <message>
        <source>ALSO</source>
        <translation>Außerdem</translation>
    </message>
    <message>
        <source>AN ID THAT NOBODY HAS</source>
        <translation>EINE ID, DIE NIEMAND HAT</translation>
    </message>
    <message>
        <source>ANSWER</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>APDU trace</source>
        <translation>APDU-Trace</translation>
    </message>
    <message>
        <source>APDUs of this provisioning</source>
        <translation>APDUs dieser Personalisierung</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API-Schlüssel</translation>
    </message>
    <message>
        <source>API keys</source>
        <translation>API-Schlüssel</translation>
    </message>
    <message>
        <source>ARC Console stays here</source>
        <translation>ARC Console bleibt hier</translation>
    </message>
    <message>
        <source>ARC site</source>
        <translation>ARC-Standort</translation>
    </message>
    <message>
        <source>ARC-0001 ARC-0002, or one a line</source>
        <translation>ARC-0001 ARC-0002, oder eine je Zeile</translation>
    </message>
    <message>
        <source>ARC-NODE ID</source>
        <translation>ARC-PERSONEN-ID</translation>
    </message>
    <message>
        <source>ASKED</source>
        <translation>Angefragt</translation>
    </message>
    <message>
        <source>AT</source>
        <translation>Um</translation>
    </message>
    <message>
        <source>AT (UTC)</source>
        <translation>Zeit (UTC)</translation>
    </message>
    <message>
        <source>AUDIT</source>
        <translation>Audit</translation>
    </message>
    <message>
        <source>Abandoned</source>
        <translation>Aufgegeben</translation>
    </message>
    <message>
        <source>About this law</source>
        <translation>Über dieses Gesetz</translation>
    </message>
    <message>
        <source>Above the middle</source>
        <translation>Über der Mitte</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Angenommen</translation>
    </message>
    <message>
        <source>Accounts</source>
        <translation>Konten</translation>
    </message>
    <message>
        <source>Accounts, sessions and tokens elsewhere end with a burn only where their directory stands here: LDAP, SCIM, shared signals, OAuth, a webhook, or another site.</source>
        <translation>Konten, Sitzungen und Tokens anderswo enden mit einer Sperrung nur, wenn ihr Verzeichnis hier steht: LDAP, SCIM, Shared Signals, OAuth, ein Webhook oder ein anderer Standort.</translation>
    </message>
    <message>
        <source>Acknowledged</source>
        <translation>Bestätigt</translation>
    </message>
    <message>
        <source>Acknowledgement of {terminal}</source>
        <translation>Bestätigung von {terminal}</translation>
    </message>
    <message>
        <source>Acknowledgement…</source>
        <translation>Bestätigung…</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Actioned</source>
        <translation>Umgesetzt</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>Aktiv</translation>
    </message>
    <message>
        <source>Active, not employed</source>
        <translation>Aktiv, nicht beschäftigt</translation>
    </message>
    <message>
        <source>Actor</source>
        <translation>Akteur</translation>
    </message>
    <message>
        <source>Acts carry the console&apos;s key and nobody&apos;s name. The first administrator is made where the service runs: arc-console operator create --name NAME --admin</source>
        <translation>Handlungen tragen den Schlüssel der Konsole und niemandes Namen. Der erste Administrator wird dort angelegt, wo der Dienst läuft: arc-console operator create --name NAME --admin</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add a directory</source>
        <translation>Verzeichnis hinzufügen</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>Ordner hinzufügen</translation>
    </message>
    <message>
        <source>Add a person</source>
        <translation>Person hinzufügen</translation>
    </message>
    <message>
        <source>Add a person to the list</source>
        <translation>Person zur Liste hinzufügen</translation>
    </message>
    <message>
        <source>Add a reader</source>
        <translation>Lesegerät hinzufügen</translation>
    </message>
    <message>
        <source>Add a registry</source>
        <translation>Register hinzufügen</translation>
    </message>
    <message>
        <source>Add a second administrator</source>
        <translation>Zweiten Administrator anlegen</translation>
    </message>
    <message>
        <source>Add a source</source>
        <translation>Quelle hinzufügen</translation>
    </message>
    <message>
        <source>Add a template registry</source>
        <translation>Template-Register hinzufügen</translation>
    </message>
    <message>
        <source>Add a terminal</source>
        <translation>Terminal hinzufügen</translation>
    </message>
    <message>
        <source>Add addresses</source>
        <translation>Adressen hinzufügen</translation>
    </message>
    <message>
        <source>Add an HR source</source>
        <translation>Personalsystem hinzufügen</translation>
    </message>
    <message>
        <source>Add an element</source>
        <translation>Element hinzufügen</translation>
    </message>
    <message>
        <source>Add an operator</source>
        <translation>Bediener hinzufügen</translation>
    </message>
    <message>
        <source>Add another maker</source>
        <translation>Hersteller hinzufügen</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Add samples of an enrolment</source>
        <translation>Proben einer Erfassung hinzufügen</translation>
    </message>
    <message>
        <source>Add {name}</source>
        <translation>{name} hinzufügen</translation>
    </message>
    <message>
        <source>Add {registry}</source>
        <translation>{registry} hinzufügen</translation>
    </message>
    <message>
        <source>Add {terminal}</source>
        <translation>{terminal} hinzufügen</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>Hinzugefügt</translation>
    </message>
    <message>
        <source>Added here</source>
        <translation>Hier hinzugefügt</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Address of a camera&apos;s picture, an MJPEG stream or an HLS playlist (.m3u8)</source>
        <translation>Adresse eines Kamerabilds, eines MJPEG-Streams oder einer HLS-Playlist (.m3u8)</translation>
    </message>
    <message>
        <source>Address of a feed</source>
        <translation>Adresse eines Feeds</translation>
    </message>
    <message>
        <source>Address of a picture or video</source>
        <translation>Adresse eines Bilds oder Videos</translation>
    </message>
    <message>
        <source>Address of a picture or video, or drop files</source>
        <translation>Adresse eines Bildes oder Videos, oder Dateien ablegen</translation>
    </message>
    <message>
        <source>Address, level and certificates of the chosen frame.</source>
        <translation>Adresse, Stufe und Zertifikate des gewählten Frames.</translation>
    </message>
    <message>
        <source>Addresses</source>
        <translation>Adressen</translation>
    </message>
    <message>
        <source>Addresses with http:// or https://, one a line, without a user; at most 100 of 2,048 characters.</source>
        <translation>Adressen mit http:// oder https://, eine je Zeile, ohne Benutzer; höchstens 100 mit je 2.048 Zeichen.</translation>
    </message>
    <message>
        <source>Administrator: registry, keys, operators</source>
        <translation>Administration: Register, Schlüssel, Bediener</translation>
    </message>
    <message>
        <source>Affiliation</source>
        <translation>Zugehörigkeit</translation>
    </message>
    <message>
        <source>After the last column comes the order of the page. A click on a column&apos;s head sorts, too.</source>
        <translation>Nach der letzten Spalte kommt die Reihenfolge der Seite. Auch ein Klick auf den Spaltenkopf sortiert.</translation>
    </message>
    <message>
        <source>After the write: the proof read back from the card, and its keys.</source>
        <translation>Nach dem Schreiben: der von der Karte zurückgelesene Beweis und ihre Schlüssel.</translation>
    </message>
    <message>
        <source>After:</source>
        <translation>Danach:</translation>
    </message>
    <message>
        <source>Against {provision}, the last good one.</source>
        <translation>Gegen {provision}, die letzte gute.</translation>
    </message>
    <message>
        <source>Age of the newest event when it came, by the service&apos;s clock.</source>
        <translation>Alter des neuesten Ereignisses bei seiner Ankunft, nach der Uhr des Dienstes.</translation>
    </message>
    <message>
        <source>Age of the newest event when it came.</source>
        <translation>Alter des neuesten Ereignisses bei seiner Ankunft.</translation>
    </message>
    <message>
        <source>Agrees</source>
        <translation>Stimmt überein</translation>
    </message>
    <message>
        <source>Alarm</source>
        <translation>Alarm</translation>
    </message>
    <message>
        <source>Alarm: burned badge of {person} shown</source>
        <translation>Alarm: gesperrter Ausweis von {person} gezeigt</translation>
    </message>
    <message>
        <source>Alarm: burned badge of {person} shown at {reader}</source>
        <translation>Alarm: gesperrter Ausweis von {person} an {reader} gezeigt</translation>
    </message>
    <message>
        <source>Alarm: {text}</source>
        <translation>Alarm: {text}</translation>
    </message>
    <message>
        <source>Alarm: {words}, first at {time}</source>
        <translation>Alarm: {words}, zuerst um {time}</translation>
    </message>
    <message>
        <source>Alarms</source>
        <translation>Alarme</translation>
    </message>
    <message>
        <source>Alarms ({count}, {open} open now)</source>
        <translation>Alarme ({count}, jetzt offen: {open})</translation>
    </message>
    <message>
        <source>Alarms stay in sight, without names. The page stays for the next operator.</source>
        <translation>Alarme bleiben sichtbar, ohne Namen. Die Seite bleibt für den nächsten Bediener.</translation>
    </message>
    <message>
        <source>Alarms unknown</source>
        <translation>Alarme unbekannt</translation>
    </message>
    <message>
        <source>Alarms, burns and readers are being read.</source>
        <translation>Alarme, Sperrungen und Lesegeräte werden gelesen.</translation>
    </message>
    <message>
        <source>Alarms: a sound until somebody has taken one</source>
        <translation>Alarme: ein Ton, bis jemand übernommen hat</translation>
    </message>
    <message>
        <source>Alarms: {word}</source>
        <translation>Alarme: {word}</translation>
    </message>
    <message>
        <source>Alex Novak, night shift</source>
        <translation>Alex Novak, Nachtschicht</translation>
    </message>
    <message>
        <source>Algorithm</source>
        <translation>Algorithmus</translation>
    </message>
    <message>
        <source>Algorithm 1: the crease map of a palm, or 512 features of another sensor.</source>
        <translation>Algorithmus 1: das Linienbild einer Handfläche oder 512 Merkmale eines anderen Sensors.</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>All cards revoked with the burn</source>
        <translation>Alle Karten mit der Sperrung widerrufen</translation>
    </message>
    <message>
        <source>All clear</source>
        <translation>Alles ruhig</translation>
    </message>
    <message>
        <source>All doors</source>
        <translation>Alle Türen</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>All frames</source>
        <translation>Alle Frames</translation>
    </message>
    <message>
        <source>All frames or the worst</source>
        <translation>Alle Frames oder die schlechtesten</translation>
    </message>
    <message>
        <source>All its notices have left. </source>
        <translation>Alle seine Meldungen sind hinausgegangen. </translation>
    </message>
    <message>
        <source>All muted</source>
        <translation>Alle stumm</translation>
    </message>
    <message>
        <source>All on a secure channel</source>
        <translation>Alle über sicheren Kanal</translation>
    </message>
    <message>
        <source>All pictures and videos in it and below it.</source>
        <translation>Alle Bilder und Videos darin und in seinen Unterordnern.</translation>
    </message>
    <message>
        <source>All proven</source>
        <translation>Alle bewiesen</translation>
    </message>
    <message>
        <source>All sessions of the operator end.</source>
        <translation>Alle Sitzungen des Bedieners enden.</translation>
    </message>
    <message>
        <source>All states</source>
        <translation>Jeder Stand</translation>
    </message>
    <message>
        <source>All targets</source>
        <translation>Alle Ziele</translation>
    </message>
    <message>
        <source>All terminals</source>
        <translation>Alle Terminals</translation>
    </message>
    <message>
        <source>All time</source>
        <translation>Gesamte Zeit</translation>
    </message>
    <message>
        <source>All times but those in UTC (Z) are local. The figures are the service&apos;s own record.</source>
        <translation>Alle Zeiten außer denen in UTC (Z) sind Ortszeit. Die Zahlen sind eigene Aufzeichnungen des Dienstes.</translation>
    </message>
    <message>
        <source>All together</source>
        <translation>Alles zusammen</translation>
    </message>
    <message>
        <source>All {total} lines are over</source>
        <translation>Alle {total} Zeilen sind zu Ende</translation>
    </message>
    <message>
        <source>Already</source>
        <translation>Bereits geschehen</translation>
    </message>
    <message>
        <source>Also in the middle of a write: the card is then torn, and the same card goes on.</source>
        <translation>Auch mitten im Schreiben: Die Karte ist dann halb geschrieben, und dieselbe Karte geht weiter.</translation>
    </message>
    <message>
        <source>Also the 1 other of {source} that wait</source>
        <translation>Auch das 1 weitere von {source}, das wartet</translation>
    </message>
    <message>
        <source>Also the {count} others of {source} that wait</source>
        <translation>Auch die {count} weiteren von {source}, die warten</translation>
    </message>
    <message>
        <source>An AES key in hexadecimal: 32, 48 or 64 digits.</source>
        <translation>Ein AES-Schlüssel, hexadezimal: 32, 48 oder 64 Ziffern.</translation>
    </message>
    <message>
        <source>An HR system reported a discharge</source>
        <translation>Austritt gemeldet</translation>
    </message>
    <message>
        <source>An HR system, and the secret that it signs with.</source>
        <translation>Ein Personalsystem und das Geheimnis, mit dem es signiert.</translation>
    </message>
    <message>
        <source>An address such as name@example.org.</source>
        <translation>Eine Adresse wie name@example.org.</translation>
    </message>
    <message>
        <source>An address with http:// or https://, without a user.</source>
        <translation>Eine Adresse mit http:// oder https://, ohne Benutzer.</translation>
    </message>
    <message>
        <source>An address with its scheme, such as https://idp.example/scim/v2 or ldaps://ldap.example:636.</source>
        <translation>Eine Adresse mit Schema, wie https://idp.example/scim/v2 oder ldaps://ldap.example:636.</translation>
    </message>
    <message>
        <source>An alarm was raised</source>
        <translation>Alarm ausgelöst</translation>
    </message>
    <message>
        <source>An e-mail address, as name@example.org.</source>
        <translation>Eine E-Mail-Adresse wie name@example.org.</translation>
    </message>
    <message>
        <source>An empty form</source>
        <translation>Leeres Formular</translation>
    </message>
    <message>
        <source>An enrolment takes {most} samples: {count} files were left out.</source>
        <translation>Eine Erfassung nimmt {most} Proben auf: {count} Dateien wurden ausgelassen.</translation>
    </message>
    <message>
        <source>An entry of the audit log since then was erased.</source>
        <translation>Ein Eintrag des Audit-Protokolls seit damals wurde gelöscht.</translation>
    </message>
    <message>
        <source>An id that nobody has</source>
        <translation>Eine ID, die niemand hat</translation>
    </message>
    <message>
        <source>An offline door keeps the clock running. Only a person closes a target.</source>
        <translation>Eine Tür, die offline ist, hält die Uhr in Gang. Nur ein Mensch schließt ein Ziel.</translation>
    </message>
    <message>
        <source>Animations</source>
        <translation>Animationen</translation>
    </message>
    <message>
        <source>Another Citadel key must approve. Cards, badges and grants that were revoked stay so for ever: new ones are issued, and the standing returns only by a new live check.</source>
        <translation>Ein anderer Citadel-Schlüssel muss freigeben. Widerrufene Karten, Ausweise und Berechtigungen bleiben für immer widerrufen: Neue werden ausgestellt, und der Status kehrt nur durch eine neue Live-Prüfung zurück.</translation>
    </message>
    <message>
        <source>Another card maker</source>
        <translation>Weiterer Kartenhersteller</translation>
    </message>
    <message>
        <source>Another key until {until}</source>
        <translation>Anderer Schlüssel bis {until}</translation>
    </message>
    <message>
        <source>Another language is spoken from the next start on.</source>
        <translation>Eine andere Sprache gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Another operator is to sign in.</source>
        <translation>Ein anderer Bediener soll sich anmelden.</translation>
    </message>
    <message>
        <source>Another person until {until}</source>
        <translation>Andere Person bis {until}</translation>
    </message>
    <message>
        <source>Another person, or another seal; Esc goes back.</source>
        <translation>Eine andere Person oder ein anderes Siegel; Esc führt zurück.</translation>
    </message>
    <message>
        <source>Another program uses it. Close that program.</source>
        <translation>Ein anderes Programm benutzt sie. Schließen Sie es.</translation>
    </message>
    <message>
        <source>Another service takes over.</source>
        <translation>Ein anderer Dienst übernimmt.</translation>
    </message>
    <message>
        <source>Another site</source>
        <translation>Anderer Standort</translation>
    </message>
    <message>
        <source>Another site answers at {url} than before. Close the console if that is meant.</source>
        <translation>Unter {url} antwortet ein anderer Standort als zuvor. Schließen Sie die Konsole, wenn das gewollt ist.</translation>
    </message>
    <message>
        <source>Another subject</source>
        <translation>Andere Person</translation>
    </message>
    <message>
        <source>Another voice</source>
        <translation>Andere Stimme</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Answered</source>
        <translation>Geantwortet</translation>
    </message>
    <message>
        <source>Answered in part</source>
        <translation>Teils geantwortet</translation>
    </message>
    <message>
        <source>Any outcome</source>
        <translation>Jedes Ergebnis</translation>
    </message>
    <message>
        <source>Anybody checks it with: arc-console verify</source>
        <translation>Jeder prüft es mit: arc-console verify</translation>
    </message>
    <message>
        <source>Anybody checks it without asking the site: arc-console verify BUNDLE.zip --trust DIR.</source>
        <translation>Jeder prüft es, ohne den Standort zu fragen: arc-console verify BUNDLE.zip --trust DIR.</translation>
    </message>
    <message>
        <source>Appeal, or second notice, to {platform}</source>
        <translation>Einspruch oder zweite Meldung an {platform}</translation>
    </message>
    <message>
        <source>Appeal…</source>
        <translation>Einspruch…</translation>
    </message>
    <message>
        <source>Application identifier</source>
        <translation>Anwendungskennung</translation>
    </message>
    <message>
        <source>Application property template</source>
        <translation>Anwendungsmerkmale</translation>
    </message>
    <message>
        <source>Applied</source>
        <translation>Angewendet</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>Freigeben</translation>
    </message>
    <message>
        <source>Approve a payment</source>
        <translation>Zahlung freigeben</translation>
    </message>
    <message>
        <source>Approve the request</source>
        <translation>Antrag freigeben</translation>
    </message>
    <message>
        <source>Approved</source>
        <translation>Freigegeben</translation>
    </message>
    <message>
        <source>Approved by a second administrator: roles, ways to sign in and person must stay as they stand here.</source>
        <translation>Durch einen zweiten Administrator freigegeben: Rollen, Anmeldeverfahren und Person müssen bleiben, wie sie hier stehen.</translation>
    </message>
    <message>
        <source>Approved until {until}</source>
        <translation>Freigegeben bis {until}</translation>
    </message>
    <message>
        <source>Approver</source>
        <translation>Freigebender</translation>
    </message>
    <message>
        <source>Around it</source>
        <translation>Rundherum</translation>
    </message>
    <message>
        <source>As it is</source>
        <translation>Wie bisher</translation>
    </message>
    <message>
        <source>As it is registered or known</source>
        <translation>Wie registriert oder bekannt</translation>
    </message>
    <message>
        <source>As it would be signed and sent. Nothing of it is stored, and nothing has left.</source>
        <translation>Wie es signiert und gesendet würde. Nichts davon ist gespeichert, und nichts ist hinausgegangen.</translation>
    </message>
    <message>
        <source>As it would be signed, marked DRAFT.</source>
        <translation>Wie es signiert würde, mit dem Vermerk DRAFT.</translation>
    </message>
    <message>
        <source>As its cells show it, with tabs between them.</source>
        <translation>Wie ihre Zellen sie zeigen, mit Tabulatoren dazwischen.</translation>
    </message>
    <message>
        <source>As its packing or the reader names it</source>
        <translation>Wie Verpackung oder Lesegerät es nennen</translation>
    </message>
    <message>
        <source>As of {time}</source>
        <translation>Stand {time}</translation>
    </message>
    <message>
        <source>As the HR system names the person</source>
        <translation>Wie das Personalsystem die Person nennt</translation>
    </message>
    <message>
        <source>As the platform shows it</source>
        <translation>Wie die Plattform sie zeigt</translation>
    </message>
    <message>
        <source>As the site has it (24 hours if nobody changed it)</source>
        <translation>Wie am Standort eingestellt (24 Stunden, wenn unverändert)</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>As whom this person is enrolled, too.</source>
        <translation>Zeigt, als wer diese Person außerdem erfasst ist.</translation>
    </message>
    <message>
        <source>As you confirmed. The service does not hear them.</source>
        <translation>Nach Ihrer Bestätigung. Der Dienst hört sie nicht.</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>Beantragen</translation>
    </message>
    <message>
        <source>Ask HR, by a way that you know, whether these discharges are real. Then burn or release each, and close the events.</source>
        <translation>Fragen Sie die Personalabteilung auf einem Ihnen bekannten Weg, ob diese Austritte echt sind. Sperren Sie dann oder geben Sie frei, und schließen Sie die Ereignisse.</translation>
    </message>
    <message>
        <source>Ask another administrator</source>
        <translation>Anderen Administrator anfragen</translation>
    </message>
    <message>
        <source>Ask for PIN reset</source>
        <translation>PIN-Rücksetzung anfordern</translation>
    </message>
    <message>
        <source>Ask for Re-issue</source>
        <translation>Neuausgabe anfordern</translation>
    </message>
    <message>
        <source>Ask for a PIN reset</source>
        <translation>PIN-Rücksetzung anfordern</translation>
    </message>
    <message>
        <source>Ask for re-issue</source>
        <translation>Neuausgabe anfordern</translation>
    </message>
    <message>
        <source>Ask the administrator of the service to start it without --no-pcsc.</source>
        <translation>Bitten Sie den Administrator des Dienstes, ihn ohne --no-pcsc zu starten.</translation>
    </message>
    <message>
        <source>Ask the administrator of this computer to allow the service&apos;s user in polkit (org.debian.pcsc-lite).</source>
        <translation>Bitten Sie den Administrator dieses Rechners, den Benutzer des Dienstes in polkit zuzulassen (org.debian.pcsc-lite).</translation>
    </message>
    <message>
        <source>Ask the administrator of this computer to install pcscd: sudo apt-get install pcscd.</source>
        <translation>Bitten Sie den Administrator dieses Rechners, pcscd zu installieren: sudo apt-get install pcscd.</translation>
    </message>
    <message>
        <source>Ask the administrator of this computer to start it: sudo systemctl start pcscd.socket.</source>
        <translation>Bitten Sie den Administrator dieses Rechners, ihn zu starten: sudo systemctl start pcscd.socket.</translation>
    </message>
    <message>
        <source>Ask the site&apos;s operator over another way before you trust it (F8). The pinned one stays in force.</source>
        <translation>Fragen Sie den Betreiber des Standorts auf einem anderen Weg, bevor Sie ihr vertrauen (F8). Die festgelegte bleibt in Kraft.</translation>
    </message>
    <message>
        <source>Ask to burn a list</source>
        <translation>Listensperrung beantragen</translation>
    </message>
    <message>
        <source>Ask to burn a list of people</source>
        <translation>Sperrung einer Personenliste beantragen</translation>
    </message>
    <message>
        <source>Ask to un-burn</source>
        <translation>Entsperren beantragen</translation>
    </message>
    <message>
        <source>Ask to un-burn {person}</source>
        <translation>Entsperrung von {person} beantragen</translation>
    </message>
    <message>
        <source>Ask who looks after this machine: nothing is wrong with the file.</source>
        <translation>Fragen Sie, wer diesen Rechner betreut: Mit der Datei ist alles in Ordnung.</translation>
    </message>
    <message>
        <source>Ask: {kind}</source>
        <translation>Antrag: {kind}</translation>
    </message>
    <message>
        <source>Asked by you, before the first take: what it is for, what is kept, how it ends.</source>
        <translation>Fragen Sie vor der ersten Sprechprobe und sagen Sie, wozu es dient, was gespeichert wird und wie es endet.</translation>
    </message>
    <message>
        <source>Asked by {asker}: approve (Alt+A) or reject (Alt+X).</source>
        <translation>Beantragt durch {asker}: freigeben (Alt+A) oder ablehnen (Alt+X).</translation>
    </message>
    <message>
        <source>Asked for</source>
        <translation>Angefragt</translation>
    </message>
    <message>
        <source>Asked for by the person (may stay empty)</source>
        <translation>Von der Person verlangt (darf leer bleiben)</translation>
    </message>
    <message>
        <source>Asked for with this key: it waits for another Citadel key, on another console.</source>
        <translation>Mit diesem Schlüssel beantragt: Es wartet auf einen anderen Citadel-Schlüssel an einer anderen Konsole.</translation>
    </message>
    <message>
        <source>Asked for {time} ago.</source>
        <translation>Angefragt vor {time}.</translation>
    </message>
    <message>
        <source>Asking</source>
        <translation>Wird gefragt</translation>
    </message>
    <message>
        <source>Asking for events</source>
        <translation>Ereignisse werden erfragt</translation>
    </message>
    <message>
        <source>Asking what this burn would touch.</source>
        <translation>Die Konsole fragt, was diese Sperrung beträfe.</translation>
    </message>
    <message>
        <source>Asks a second key to take the shown burn back.</source>
        <translation>Bittet einen zweiten Schlüssel, die gezeigte Sperrung zurückzunehmen.</translation>
    </message>
    <message>
        <source>Asks first, whatever it is.</source>
        <translation>Fragt zuerst nach, was es auch ist.</translation>
    </message>
    <message>
        <source>Asks first.</source>
        <translation>Fragt zuerst nach.</translation>
    </message>
    <message>
        <source>Asks first. A person who still holds a card or a grant is burned before.</source>
        <translation>Fragt zuerst nach. Wer noch eine Karte oder Berechtigung hat, wird zuvor gesperrt.</translation>
    </message>
    <message>
        <source>Asks first. Cards in work are finished; no other line ever is.</source>
        <translation>Fragt zuerst nach. Karten in Arbeit werden fertiggestellt, andere Zeilen nie mehr.</translation>
    </message>
    <message>
        <source>Asks first. For a row that was a mistake.</source>
        <translation>Fragt zuerst nach. Für eine irrtümliche Zeile.</translation>
    </message>
    <message>
        <source>Asks first. It is not written any more; its row stays.</source>
        <translation>Fragt zuerst nach. Es wird nicht mehr geschrieben; seine Zeile bleibt.</translation>
    </message>
    <message>
        <source>Asks first. Its calls are refused from then on.</source>
        <translation>Fragt zuerst nach. Ihre Aufrufe werden von da an abgelehnt.</translation>
    </message>
    <message>
        <source>Asks first. Only after somebody you know has confirmed the change.</source>
        <translation>Fragt zuerst nach. Nur, wenn jemand, den Sie kennen, die Änderung bestätigt hat.</translation>
    </message>
    <message>
        <source>Asks first. Only an empty one.</source>
        <translation>Fragt zuerst nach. Nur ein leeres.</translation>
    </message>
    <message>
        <source>Asks first. Only when HR has said that none is real.</source>
        <translation>Fragt zuerst nach. Nur, wenn laut Personalabteilung keiner davon echt ist.</translation>
    </message>
    <message>
        <source>Asks first. Palm and stylized alike. Needs Citadel clearance.</source>
        <translation>Fragt zuerst nach. Handfläche wie stilisiert. Erfordert die Freigabestufe Citadel.</translation>
    </message>
    <message>
        <source>Asks first. Palm and stylized, from every registry, whenever it was enrolled.</source>
        <translation>Fragt zuerst nach. Handfläche und stilisiert, aus jedem Register, gleich wann erfasst.</translation>
    </message>
    <message>
        <source>Asks first. Refused while somebody has an account in it.</source>
        <translation>Fragt zuerst nach. Wird abgelehnt, solange jemand dort ein Konto hat.</translation>
    </message>
    <message>
        <source>Asks first. The consent ends by a new leaf.</source>
        <translation>Fragt zuerst nach. Die Einwilligung endet durch ein neues Blatt.</translation>
    </message>
    <message>
        <source>Asks first. The frame is no longer probed.</source>
        <translation>Fragt zuerst nach. Das Frame wird nicht mehr geprüft.</translation>
    </message>
    <message>
        <source>Asks first. The key ends at once and for ever.</source>
        <translation>Fragt zuerst nach. Der Schlüssel endet sofort und für immer.</translation>
    </message>
    <message>
        <source>Asks first. The next key, without the persons.</source>
        <translation>Fragt zuerst nach. Der nächste Schlüssel, ohne Zutun der Personen.</translation>
    </message>
    <message>
        <source>Asks first. The node is denied no longer.</source>
        <translation>Fragt zuerst nach. Die Person wird nicht mehr abgewiesen.</translation>
    </message>
    <message>
        <source>Asks first. What it signs is refused from then on.</source>
        <translation>Fragt zuerst nach. Was es signiert, wird von da an abgelehnt.</translation>
    </message>
    <message>
        <source>Asks first. What the operator did keeps its name.</source>
        <translation>Fragt zuerst nach. Was der Bediener tat, behält seinen Namen.</translation>
    </message>
    <message>
        <source>Asks for the reason. What has not left never leaves.</source>
        <translation>Fragt nach dem Grund. Was nicht hinausgegangen ist, geht nie hinaus.</translation>
    </message>
    <message>
        <source>At</source>
        <translation>Um</translation>
    </message>
    <message>
        <source>At a terminal the person lays the hand five times. </source>
        <translation>Am Terminal: Hand fünfmal auflegen. </translation>
    </message>
    <message>
        <source>At least 16 characters</source>
        <translation>Mindestens 16 Zeichen</translation>
    </message>
    <message>
        <source>At least {count} characters</source>
        <translation>Mindestens {count} Zeichen</translation>
    </message>
    <message>
        <source>At least {count} characters.</source>
        <translation>Mindestens {count} Zeichen.</translation>
    </message>
    <message>
        <source>At most 100 characters.</source>
        <translation>Höchstens 100 Zeichen.</translation>
    </message>
    <message>
        <source>At most 16, one a line: voice, palm, stylized or card, then the reference, as card prv_1.</source>
        <translation>Höchstens 16, eine je Zeile: voice, palm, stylized oder card, dann die Referenz, wie card prv_1.</translation>
    </message>
    <message>
        <source>At most 2,000 characters.</source>
        <translation>Höchstens 2.000 Zeichen.</translation>
    </message>
    <message>
        <source>At most 200 characters.</source>
        <translation>Höchstens 200 Zeichen.</translation>
    </message>
    <message>
        <source>At most 4,000 characters.</source>
        <translation>Höchstens 4.000 Zeichen.</translation>
    </message>
    <message>
        <source>At most 4000 characters.</source>
        <translation>Höchstens 4000 Zeichen.</translation>
    </message>
    <message>
        <source>At the badge office, at any time</source>
        <translation>In der Ausweisstelle, jederzeit</translation>
    </message>
    <message>
        <source>At the doors</source>
        <translation>An den Türen</translation>
    </message>
    <message>
        <source>At the doors comes back in its place. Esc does the same.</source>
        <translation>„An den Türen“ kommt an seine Stelle zurück. Esc tut dasselbe.</translation>
    </message>
    <message>
        <source>At {time}. </source>
        <translation>Um {time}. </translation>
    </message>
    <message>
        <source>At {tolerance:.2f}, {accepted} of strangers are let in, and the person is sent away {refused} of the time.</source>
        <translation>Bei {tolerance:.2f} werden {accepted} der Fremden eingelassen, und die Person wird in {refused} der Fälle abgewiesen.</translation>
    </message>
    <message>
        <source>Attested</source>
        <translation>Attestiert</translation>
    </message>
    <message>
        <source>Attested by {name}</source>
        <translation>Attestiert von {name}</translation>
    </message>
    <message>
        <source>Attested. The name goes into the signed declaration.</source>
        <translation>Attestiert. Der Name kommt in die signierte Erklärung.</translation>
    </message>
    <message>
        <source>Audience or tenant</source>
        <translation>Audience oder Mandant</translation>
    </message>
    <message>
        <source>Audit</source>
        <translation>Audit</translation>
    </message>
    <message>
        <source>Audit leaf</source>
        <translation>Audit-Blatt</translation>
    </message>
    <message>
        <source>Audit log</source>
        <translation>Audit-Protokoll</translation>
    </message>
    <message>
        <source>Audit log entry</source>
        <translation>Audit-Eintrag</translation>
    </message>
    <message>
        <source>Audit log, newest entry first</source>
        <translation>Audit-Protokoll, neuester Eintrag zuerst</translation>
    </message>
    <message>
        <source>Auditor: audit, exports, erasures</source>
        <translation>Revision: Audit, Exporte, Löschungen</translation>
    </message>
    <message>
        <source>Authentic consistent</source>
        <translation>Authentisch, stimmig</translation>
    </message>
    <message>
        <source>Authentic pictures that were</source>
        <translation>Authentische Bilder:</translation>
    </message>
    <message>
        <source>Awaiting details</source>
        <translation>Wartet auf Angaben</translation>
    </message>
    <message>
        <source>Away: {doors}.</source>
        <translation>Nicht erreichbar: {doors}.</translation>
    </message>
    <message>
        <source>BAUD</source>
        <translation>Baud</translation>
    </message>
    <message>
        <source>BEGUN</source>
        <translation>Begonnen</translation>
    </message>
    <message>
        <source>BRAKE ABOVE</source>
        <translation>Bremse über</translation>
    </message>
    <message>
        <source>BUNDLE</source>
        <translation>Paket</translation>
    </message>
    <message>
        <source>BY</source>
        <translation>Durch</translation>
    </message>
    <message>
        <source>BY WHOM</source>
        <translation>Von wem</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Back at {time} unless it is cured</source>
        <translation>Kommt um {time} wieder, wenn es nicht behoben ist</translation>
    </message>
    <message>
        <source>Back to live</source>
        <translation>Zurück zu live</translation>
    </message>
    <message>
        <source>Back to live for “{title}”; the console showed {moment}.</source>
        <translation>Zurück zu live für „{title}“; die Konsole zeigte {moment}.</translation>
    </message>
    <message>
        <source>Back to live: {reason}</source>
        <translation>Zurück zu live: {reason}</translation>
    </message>
    <message>
        <source>Back to stock</source>
        <translation>Zurück in Bestand</translation>
    </message>
    <message>
        <source>Back to the draft</source>
        <translation>Zurück zum Entwurf</translation>
    </message>
    <message>
        <source>Back to the page before</source>
        <translation>Zurück zur vorigen Seite</translation>
    </message>
    <message>
        <source>Background work</source>
        <translation>Arbeit im Hintergrund</translation>
    </message>
    <message>
        <source>Bad</source>
        <translation>Fehlerhaft</translation>
    </message>
    <message>
        <source>Badge at a door · training</source>
        <translation>Ausweis an einer Tür · Training</translation>
    </message>
    <message>
        <source>Badge of {person} at {door}</source>
        <translation>Ausweis von {person} an {door}</translation>
    </message>
    <message>
        <source>Badge printer, north tower</source>
        <translation>Ausweisdrucker, Nordturm</translation>
    </message>
    <message>
        <source>Badge profile</source>
        <translation>Ausweisprofil</translation>
    </message>
    <message>
        <source>Badge: cards, batches, stock, enrolment</source>
        <translation>Ausweisstelle: Karten, Stapel, Bestand, Erfassung</translation>
    </message>
    <message>
        <source>Badges</source>
        <translation>Ausweise</translation>
    </message>
    <message>
        <source>Base DN</source>
        <translation>Basis-DN</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Stapel</translation>
    </message>
    <message>
        <source>Batch: cancel</source>
        <translation>Stapel abbrechen</translation>
    </message>
    <message>
        <source>Batch: pause</source>
        <translation>Stapel anhalten</translation>
    </message>
    <message>
        <source>Batch: resume</source>
        <translation>Stapel fortsetzen</translation>
    </message>
    <message>
        <source>Batches</source>
        <translation>Stapel</translation>
    </message>
    <message>
        <source>Batches, newest first</source>
        <translation>Stapel, neueste zuerst</translation>
    </message>
    <message>
        <source>Batches, newest first; Enter opens one</source>
        <translation>Stapel, neueste zuerst; Eingabetaste öffnet</translation>
    </message>
    <message>
        <source>Bearer token</source>
        <translation>Bearer-Token</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>Beginnen</translation>
    </message>
    <message>
        <source>Begin a second notice</source>
        <translation>Zweite Meldung beginnen</translation>
    </message>
    <message>
        <source>Begins a declaration to platforms that names this scan. Nothing leaves before it is issued.</source>
        <translation>Beginnt eine Erklärung an Plattformen, die diese Prüfung nennt. Nichts geht hinaus, bevor sie ausgestellt ist.</translation>
    </message>
    <message>
        <source>Begins a declaration to platforms that names this seal. Nothing leaves before it is issued.</source>
        <translation>Beginnt eine Erklärung an Plattformen, die dieses Siegel nennt. Nichts geht hinaus, bevor sie ausgestellt ist.</translation>
    </message>
    <message>
        <source>Being granted</source>
        <translation>Wird berechtigt</translation>
    </message>
    <message>
        <source>Being read</source>
        <translation>Wird gelesen</translation>
    </message>
    <message>
        <source>Being sealed</source>
        <translation>Wird versiegelt</translation>
    </message>
    <message>
        <source>Being written</source>
        <translation>Wird geschrieben</translation>
    </message>
    <message>
        <source>Belongs to {holder}. Take a blank card for anybody else.</source>
        <translation>Gehört {holder}. Nehmen Sie für andere eine leere Karte.</translation>
    </message>
    <message>
        <source>Below the middle</source>
        <translation>Unter der Mitte</translation>
    </message>
    <message>
        <source>Between two times</source>
        <translation>Zwischen zwei Zeitpunkten</translation>
    </message>
    <message>
        <source>Bills that are no law, and are never cited</source>
        <translation>Gesetzentwürfe, die kein Gesetz sind und nie zitiert werden</translation>
    </message>
    <message>
        <source>Bind DN</source>
        <translation>Bind-DN</translation>
    </message>
    <message>
        <source>Biometric templates</source>
        <translation>Biometrische Templates</translation>
    </message>
    <message>
        <source>Blank</source>
        <translation>Leer</translation>
    </message>
    <message>
        <source>Blast radius</source>
        <translation>Reichweite der Sperrung</translation>
    </message>
    <message>
        <source>Blast radius · writes nothing</source>
        <translation>Reichweite der Sperrung · schreibt nichts</translation>
    </message>
    <message>
        <source>Blast radius, one row a system</source>
        <translation>Reichweite der Sperrung, eine Zeile je System</translation>
    </message>
    <message>
        <source>Block borders</source>
        <translation>Blockränder</translation>
    </message>
    <message>
        <source>Borders</source>
        <translation>Ränder</translation>
    </message>
    <message>
        <source>Both secrets of {source} are taken from now on.</source>
        <translation>Beide Geheimnisse von {source} gelten von jetzt an.</translation>
    </message>
    <message>
        <source>Bounced</source>
        <translation>Zurückgekommen</translation>
    </message>
    <message>
        <source>Brake above</source>
        <translation>Bremse über</translation>
    </message>
    <message>
        <source>Breath in the residual</source>
        <translation>Atem im Residuum</translation>
    </message>
    <message>
        <source>Bundle</source>
        <translation>Paket</translation>
    </message>
    <message>
        <source>Bundle {issue} was fetched at {at}, to be opened within {minutes} minutes; the terminal has not said that it took it.</source>
        <translation>Paket {issue} wurde {at} abgeholt und ist innerhalb von {minutes} Minuten zu öffnen; das Terminal hat nicht gemeldet, dass es das Paket übernommen hat.</translation>
    </message>
    <message>
        <source>Burn</source>
        <comment>record</comment>
        <translation>Sperrung</translation>
    </message>
    <message>
        <source>Burn</source>
        <translation>Sperren</translation>
    </message>
    <message>
        <source>Burn a list</source>
        <translation>Liste sperren</translation>
    </message>
    <message>
        <source>Burn a training person</source>
        <translation>Eine Übungsperson sperren</translation>
    </message>
    <message>
        <source>Burn an id that nobody has</source>
        <translation>Eine ID sperren, die niemand hat</translation>
    </message>
    <message>
        <source>Burn of {person}</source>
        <translation>Sperrung von {person}</translation>
    </message>
    <message>
        <source>Burn of {person}, complete in {seconds} s</source>
        <translation>Sperrung von {person}, vollständig in {seconds} s</translation>
    </message>
    <message>
        <source>Burn of {person}: 1 target proven, {open} still open</source>
        <translation>Sperrung von {person}: 1 Ziel bewiesen, {open} noch offen</translation>
    </message>
    <message>
        <source>Burn of {person}: nothing new is proven, {open} still open</source>
        <translation>Sperrung von {person}: nichts Neues bewiesen, {open} noch offen</translation>
    </message>
    <message>
        <source>Burn of {person}: {count} targets proven, {open} still open</source>
        <translation>Sperrung von {person}: {count} Ziele bewiesen, {open} noch offen</translation>
    </message>
    <message>
        <source>Burn several with a second key</source>
        <translation>Mehrere mit zweitem Schlüssel sperren</translation>
    </message>
    <message>
        <source>Burn the held discharge</source>
        <translation>Gehaltenen Austritt sperren</translation>
    </message>
    <message>
        <source>Burn the other systems, too…</source>
        <translation>Auch die anderen Systeme sperren…</translation>
    </message>
    <message>
        <source>Burn the person</source>
        <translation>Person sperren</translation>
    </message>
    <message>
        <source>Burn this id unseen</source>
        <translation>Diese ID ungesehen sperren</translation>
    </message>
    <message>
        <source>Burn this one</source>
        <translation>Diese sperren</translation>
    </message>
    <message>
        <source>Burn this person</source>
        <translation>Diese Person sperren</translation>
    </message>
    <message>
        <source>Burn who is not employed</source>
        <translation>Nicht beschäftigte Person sperren</translation>
    </message>
    <message>
        <source>Burned</source>
        <translation>Gesperrt</translation>
    </message>
    <message>
        <source>Burned already</source>
        <translation>Bereits gesperrt</translation>
    </message>
    <message>
        <source>Burned at {when} with this scope; its targets stand on this page. Ctrl+N: another subject.</source>
        <translation>Um {when} mit diesem Umfang gesperrt; die Ziele stehen auf dieser Seite. Strg+N: andere Person.</translation>
    </message>
    <message>
        <source>Burned everywhere{by_words}</source>
        <translation>Überall gesperrt{by_words}</translation>
    </message>
    <message>
        <source>Burned here alone{by_words}</source>
        <translation>Nur hier gesperrt{by_words}</translation>
    </message>
    <message>
        <source>Burned: the service enrols nothing for this person.</source>
        <translation>Gesperrt: Der Dienst erfasst für diese Person nichts.</translation>
    </message>
    <message>
        <source>Burning.</source>
        <translation>Sperrung läuft.</translation>
    </message>
    <message>
        <source>Burning: the clock runs until the last door</source>
        <translation>Wird gesperrt: Die Uhr läuft bis zur letzten Tür</translation>
    </message>
    <message>
        <source>Burns</source>
        <translation>Sperrungen</translation>
    </message>
    <message>
        <source>Burns ({count}, without drills)</source>
        <translation>Sperrungen ({count}, ohne Übungen)</translation>
    </message>
    <message>
        <source>Burns and doors</source>
        <translation>Sperrungen und Türen</translation>
    </message>
    <message>
        <source>Burns, newest first</source>
        <translation>Sperrungen, neueste zuerst</translation>
    </message>
    <message>
        <source>Burn…</source>
        <translation>Sperren…</translation>
    </message>
    <message>
        <source>Business days are Monday to Friday, without holidays.</source>
        <translation>Geschäftstage sind Montag bis Freitag; Feiertage sind nicht berücksichtigt.</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>Beschäftigt</translation>
    </message>
    <message>
        <source>By</source>
        <translation>Durch</translation>
    </message>
    <message>
        <source>By chance in {share}</source>
        <translation>Zufällig bei {share}</translation>
    </message>
    <message>
        <source>By chance in {share} pictures</source>
        <translation>Zufällig bei {share} Bildern</translation>
    </message>
    <message>
        <source>By its key</source>
        <translation>Mit Schlüssel</translation>
    </message>
    <message>
        <source>By system</source>
        <translation>Je System</translation>
    </message>
    <message>
        <source>By this machine&apos;s loudspeaker; again: stops it.</source>
        <translation>Über den Lautsprecher dieses Rechners; noch einmal: hält an.</translation>
    </message>
    <message>
        <source>C2PA manifest</source>
        <translation>C2PA-Manifest</translation>
    </message>
    <message>
        <source>CALLED</source>
        <translation>Aufgerufen</translation>
    </message>
    <message>
        <source>CARD</source>
        <translation>Karte</translation>
    </message>
    <message>
        <source>CARD NO.</source>
        <translation>KARTEN-NR.</translation>
    </message>
    <message>
        <source>CARDS TRIED</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>CAUSE</source>
        <translation>Ursache</translation>
    </message>
    <message>
        <source>CERT</source>
        <translation>Zert.</translation>
    </message>
    <message>
        <source>CERTIFICATE</source>
        <translation>Zertifikat</translation>
    </message>
    <message>
        <source>CERTIFICATES</source>
        <translation>Zertifikate</translation>
    </message>
    <message>
        <source>CHANGED</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>CHANNEL</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>CHUID signature</source>
        <translation>CHUID-Signatur</translation>
    </message>
    <message>
        <source>CLEARANCE</source>
        <translation>Freigabestufe</translation>
    </message>
    <message>
        <source>CLOSED BY</source>
        <translation>Beendet von</translation>
    </message>
    <message>
        <source>CLUSTER</source>
        <translation>Türgruppe</translation>
    </message>
    <message>
        <source>CLUSTERS</source>
        <translation>Türgruppen</translation>
    </message>
    <message>
        <source>COLUMN</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>COMES FROM</source>
        <translation>Herkunft</translation>
    </message>
    <message>
        <source>CONFIDENCE</source>
        <translation>Konfidenz</translation>
    </message>
    <message>
        <source>CREDENTIAL</source>
        <translation>Zugangsmittel</translation>
    </message>
    <message>
        <source>CSV (*.csv *.txt *.tsv)</source>
        <translation>CSV (*.csv *.txt *.tsv)</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>Kalibrierung</translation>
    </message>
    <message>
        <source>Call</source>
        <translation>Aufruf</translation>
    </message>
    <message>
        <source>Call (JSON over https)</source>
        <translation>Aufruf (JSON über https)</translation>
    </message>
    <message>
        <source>Calls of HR systems, newest first</source>
        <translation>Aufrufe von Personalsystemen, neueste zuerst</translation>
    </message>
    <message>
        <source>Calls this service as the source would. It burns nobody.</source>
        <translation>Ruft diesen Dienst auf, wie es die Quelle täte. Sperrt niemanden.</translation>
    </message>
    <message>
        <source>Calls, median</source>
        <translation>Aufrufe, Median</translation>
    </message>
    <message>
        <source>Calls, p99</source>
        <translation>Aufrufe, p99</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel the batch</source>
        <translation>Stapel abbrechen</translation>
    </message>
    <message>
        <source>Cancel the export</source>
        <translation>Export abbrechen</translation>
    </message>
    <message>
        <source>Cancel this batch?</source>
        <translation>Diesen Stapel abbrechen?</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Cancelled: {parts}</source>
        <translation>Abgebrochen: {parts}</translation>
    </message>
    <message>
        <source>Cannot be looked up now</source>
        <translation>Lässt sich jetzt nicht nachsehen</translation>
    </message>
    <message>
        <source>Cannot be read (ATR {atr}): {detail}</source>
        <translation>Nicht lesbar (ATR {atr}): {detail}</translation>
    </message>
    <message>
        <source>Cannot sign</source>
        <translation>Signiert nicht</translation>
    </message>
    <message>
        <source>Cannot tell</source>
        <translation>Nicht zu beurteilen</translation>
    </message>
    <message>
        <source>Card</source>
        <translation>Karte</translation>
    </message>
    <message>
        <source>Card
Voice</source>
        <translation>Karte
Stimme</translation>
    </message>
    <message>
        <source>Card GUID</source>
        <translation>Karten-GUID</translation>
    </message>
    <message>
        <source>Card capabilities</source>
        <translation>Kartenfähigkeiten</translation>
    </message>
    <message>
        <source>Card data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Card given</source>
        <translation>Karte ausgegeben</translation>
    </message>
    <message>
        <source>Card in {name}</source>
        <translation>Karte in {name}</translation>
    </message>
    <message>
        <source>Card labels</source>
        <translation>Kartenetiketten</translation>
    </message>
    <message>
        <source>Card lost…</source>
        <translation>Karte verloren…</translation>
    </message>
    <message>
        <source>Card maker {maker}</source>
        <translation>Kartenhersteller: {maker}</translation>
    </message>
    <message>
        <source>Card makers</source>
        <translation>Kartenhersteller</translation>
    </message>
    <message>
        <source>Card of {holder}</source>
        <translation>Karte von {holder}</translation>
    </message>
    <message>
        <source>Card of {person}, {seconds:.1f} s</source>
        <translation>Karte von {person}, {seconds:.1f} s</translation>
    </message>
    <message>
        <source>Card or PIN</source>
        <translation>Karte oder PIN</translation>
    </message>
    <message>
        <source>Card readers</source>
        <translation>Kartenlesegeräte</translation>
    </message>
    <message>
        <source>Card refused</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <source>Card serial number</source>
        <translation>Kartenseriennummer</translation>
    </message>
    <message>
        <source>Card service</source>
        <translation>Kartendienst</translation>
    </message>
    <message>
        <source>Card {guid}</source>
        <translation>Karte {guid}</translation>
    </message>
    <message>
        <source>Card {guid} of {holder} is revoked: no signed list names it yet, which is tried on. {holder} is not burned.</source>
        <translation>Karte {guid} von {holder} ist widerrufen: Noch nennt sie keine signierte Liste; das wird weiter versucht. {holder} ist nicht gesperrt.</translation>
    </message>
    <message>
        <source>Card {guid} of {holder} is revoked: revocation list {list} names it. {holder} is not burned.</source>
        <translation>Karte {guid} von {holder} ist widerrufen: Widerrufsliste {list} nennt sie. {holder} ist nicht gesperrt.</translation>
    </message>
    <message>
        <source>Card {guid}, until {until}</source>
        <translation>Karte {guid}, bis {until}</translation>
    </message>
    <message>
        <source>Card {uid} is not finished. Set it aside and destroy it.</source>
        <translation>Karte {uid} ist nicht fertig. Beiseitelegen und vernichten.</translation>
    </message>
    <message>
        <source>Card {uid}, into {reader}. What was written is kept; the write goes on by itself.</source>
        <translation>Karte {uid}, in {reader}. Geschriebenes bleibt; das Schreiben geht von selbst weiter.</translation>
    </message>
    <message>
        <source>Card …{end}</source>
        <translation>Karte …{end}</translation>
    </message>
    <message>
        <source>Card, as asked</source>
        <translation>Karte, wie angefordert</translation>
    </message>
    <message>
        <source>Card, now</source>
        <translation>Karte, jetzt</translation>
    </message>
    <message>
        <source>Cardholder UUID</source>
        <translation>Karteninhaber-UUID</translation>
    </message>
    <message>
        <source>Cards</source>
        <translation>Karten</translation>
    </message>
    <message>
        <source>Cards at doors</source>
        <translation>Karten an Türen</translation>
    </message>
    <message>
        <source>Cards at doors, newest first</source>
        <translation>Karten an Türen, neueste zuerst</translation>
    </message>
    <message>
        <source>Cards that could not be used are looked at once more; no PIN try is spent.</source>
        <translation>Nicht nutzbare Karten werden noch einmal untersucht; kein PIN-Versuch wird verbraucht.</translation>
    </message>
    <message>
        <source>Cards written</source>
        <translation>Geschriebene Karten</translation>
    </message>
    <message>
        <source>Cards, now</source>
        <translation>Karten, jetzt</translation>
    </message>
    <message>
        <source>Carry out</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <source>Carry the approved request out</source>
        <translation>Freigegebenen Antrag ausführen</translation>
    </message>
    <message>
        <source>Certificate</source>
        <translation>Zertifikat</translation>
    </message>
    <message>
        <source>Certificate 9A</source>
        <translation>Zertifikat 9A</translation>
    </message>
    <message>
        <source>Certificate 9C</source>
        <translation>Zertifikat 9C</translation>
    </message>
    <message>
        <source>Certificate 9D</source>
        <translation>Zertifikat 9D</translation>
    </message>
    <message>
        <source>Certificate 9E</source>
        <translation>Zertifikat 9E</translation>
    </message>
    <message>
        <source>Certificate F9</source>
        <translation>Zertifikat F9</translation>
    </message>
    <message>
        <source>Certificate authority {name} made</source>
        <translation>Zertifizierungsstelle {name} angelegt</translation>
    </message>
    <message>
        <source>Certificate information</source>
        <translation>Zertifikatsinformation</translation>
    </message>
    <message>
        <source>Certificate or listing</source>
        <translation>Zertifikat oder Eintrag</translation>
    </message>
    <message>
        <source>Certificates</source>
        <translation>Zertifikate</translation>
    </message>
    <message>
        <source>Certificates (*.pem *.crt *.cer *.der)</source>
        <translation>Zertifikate (*.pem *.crt *.cer *.der)</translation>
    </message>
    <message>
        <source>Certificates of a card maker</source>
        <translation>Zertifikate eines Kartenherstellers</translation>
    </message>
    <message>
        <source>Certificates of the chosen maker</source>
        <translation>Zertifikate des gewählten Herstellers</translation>
    </message>
    <message>
        <source>Certify key {slot}</source>
        <translation>Schlüssel {slot} zertifizieren</translation>
    </message>
    <message>
        <source>Chain of segments</source>
        <translation>Kette der Segmente</translation>
    </message>
    <message>
        <source>Chance alone would give as much.</source>
        <translation>Der Zufall allein ergäbe ebenso viel.</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Change between check and enrolment</source>
        <translation>Zwischen Prüfung und Erfassung wechseln</translation>
    </message>
    <message>
        <source>Change the directory</source>
        <translation>Verzeichnis ändern</translation>
    </message>
    <message>
        <source>Change the element</source>
        <translation>Element ändern</translation>
    </message>
    <message>
        <source>Change the filter, or empty it with Esc.</source>
        <translation>Ändern Sie den Filter, oder leeren Sie ihn mit Esc.</translation>
    </message>
    <message>
        <source>Change the operator</source>
        <translation>Bediener ändern</translation>
    </message>
    <message>
        <source>Change the person</source>
        <translation>Person ändern</translation>
    </message>
    <message>
        <source>Change the platform</source>
        <translation>Plattform ändern</translation>
    </message>
    <message>
        <source>Change the search or the state.</source>
        <translation>Ändern Sie Suche oder Stand.</translation>
    </message>
    <message>
        <source>Change the source</source>
        <translation>Quelle ändern</translation>
    </message>
    <message>
        <source>Change the terminal</source>
        <translation>Terminal ändern</translation>
    </message>
    <message>
        <source>Change to Enrol (Ctrl+Shift+M) and let them speak three times.</source>
        <translation>Auf Erfassen wechseln (Ctrl+Shift+M) und dreimal sprechen lassen.</translation>
    </message>
    <message>
        <source>Change {name}</source>
        <translation>{name} ändern</translation>
    </message>
    <message>
        <source>Change {peer}</source>
        <translation>{peer} ändern</translation>
    </message>
    <message>
        <source>Change {terminal}</source>
        <translation>{terminal} ändern</translation>
    </message>
    <message>
        <source>Change {uid}</source>
        <translation>{uid} ändern</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern…</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>Channel keys</source>
        <translation>Kanalschlüssel</translation>
    </message>
    <message>
        <source>Channels: serial:/dev/ttyUSB0, tcp://host:port, one reader each, simulated: (training). Baud: 9600 to 230400.</source>
        <translation>Kanäle: serial:/dev/ttyUSB0, tcp://host:port, je ein Lesegerät, simulated: (Übung). Baud: 9600 bis 230400.</translation>
    </message>
    <message>
        <source>Channels: serial:/dev/ttyUSB0, tcp://host:port, one reader each. Baud: 9600 to 230400.</source>
        <translation>Kanäle: serial:/dev/ttyUSB0, tcp://host:port, je ein Lesegerät. Baud: 9600 bis 230400.</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>Diagramm</translation>
    </message>
    <message>
        <source>Chart all frames</source>
        <translation>Alle Frames im Diagramm</translation>
    </message>
    <message>
        <source>Chart how many frames answered.</source>
        <translation>Zeigt im Diagramm, wie viele Frames antworteten.</translation>
    </message>
    <message>
        <source>Chart of handshakes</source>
        <translation>Diagramm der Handshakes</translation>
    </message>
    <message>
        <source>Chart the median of the handshakes.</source>
        <translation>Zeigt im Diagramm den Median der Handshakes.</translation>
    </message>
    <message>
        <source>Chart the missed probes. Those of frames under maintenance do not count.</source>
        <translation>Zeigt im Diagramm die verfehlten Prüfungen. Die von Frames in Wartung zählen nicht.</translation>
    </message>
    <message>
        <source>Chart the p99 of the handshakes.</source>
        <translation>Zeigt im Diagramm das p99 der Handshakes.</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Check a voice</source>
        <translation>Eine Stimme prüfen</translation>
    </message>
    <message>
        <source>Check it</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Check the id yourself: no name stands beside it.</source>
        <translation>Prüfen Sie die ID selbst: Kein Name steht daneben.</translation>
    </message>
    <message>
        <source>Check the recording</source>
        <translation>Aufnahme prüfen</translation>
    </message>
    <message>
        <source>Check the voice of {person}</source>
        <translation>Stimme von {person} prüfen</translation>
    </message>
    <message>
        <source>Checked by night {time}: {result}.{late}</source>
        <translation>Nachts geprüft {time}: {result}.{late}</translation>
    </message>
    <message>
        <source>Checked on this machine by the policy pinned on {time}. </source>
        <translation>Auf diesem Rechner geprüft nach der am {time} festgelegten Richtlinie. </translation>
    </message>
    <message>
        <source>Checked on this machine by the policy pinned on {time}; the service gave the path, not the verdict.</source>
        <translation>Auf diesem Rechner geprüft nach der am {time} festgelegten Regel; der Dienst gab den Pfad, nicht das Urteil.</translation>
    </message>
    <message>
        <source>Checked on this machine by the policy pinned on {time}; the service was not asked.</source>
        <translation>Auf diesem Rechner geprüft nach der am {time} festgelegten Richtlinie; der Dienst wurde nicht gefragt.</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>Wird geprüft</translation>
    </message>
    <message>
        <source>Checking, {count} of {total}</source>
        <translation>Wird geprüft, {count} von {total}</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>Checkpoint of the audit log when this was read:</source>
        <translation>Checkpoint des Audit-Protokolls beim Lesen:</translation>
    </message>
    <message>
        <source>Checkpoint, not signed yet</source>
        <translation>Checkpoint, noch nicht signiert</translation>
    </message>
    <message>
        <source>Checkpoint, signed by the log</source>
        <translation>Checkpoint, vom Protokoll signiert</translation>
    </message>
    <message>
        <source>Checks every statement on this machine, by the pinned policy, without asking the service.</source>
        <translation>Prüft jede Aussage auf diesem Rechner nach der festgelegten Richtlinie, ohne den Dienst zu fragen.</translation>
    </message>
    <message>
        <source>Checks of the evidence</source>
        <translation>Prüfungen der Beweise</translation>
    </message>
    <message>
        <source>Chip number</source>
        <translation>Chipnummer</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>Wählen</translation>
    </message>
    <message>
        <source>Choose a CSV</source>
        <translation>CSV wählen</translation>
    </message>
    <message>
        <source>Choose a call in the list.</source>
        <translation>Wählen Sie einen Aufruf in der Liste.</translation>
    </message>
    <message>
        <source>Choose a consent in the list.</source>
        <translation>Wählen Sie eine Einwilligung in der Liste.</translation>
    </message>
    <message>
        <source>Choose a drill identity</source>
        <translation>Übungsidentität wählen</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Datei wählen</translation>
    </message>
    <message>
        <source>Choose a file with a template. Each one is compared once: the same values again are a copy, and an alarm.</source>
        <translation>Wählen Sie eine Datei mit einem Template. Jedes wird einmal verglichen: Dieselben Werte noch einmal sind eine Kopie und ein Alarm.</translation>
    </message>
    <message>
        <source>Choose a file, or type its name.</source>
        <translation>Wählen Sie eine Datei oder geben Sie ihren Namen ein.</translation>
    </message>
    <message>
        <source>Choose a folder to scan</source>
        <translation>Ordner zur Prüfung wählen</translation>
    </message>
    <message>
        <source>Choose a frame in the grid: arrow keys move, its record appears here.</source>
        <translation>Wählen Sie ein Frame im Raster: Pfeiltasten bewegen die Auswahl, sein Datensatz erscheint hier.</translation>
    </message>
    <message>
        <source>Choose a frame in the table: its record and its phases appear here.</source>
        <translation>Wählen Sie ein Frame in der Tabelle: Sein Datensatz und seine Phasen erscheinen hier.</translation>
    </message>
    <message>
        <source>Choose a law</source>
        <translation>Gesetz wählen</translation>
    </message>
    <message>
        <source>Choose a law to read what it has you attest.</source>
        <translation>Wählen Sie ein Gesetz, um zu lesen, was es Sie attestieren lässt.</translation>
    </message>
    <message>
        <source>Choose a law. What it asks for stands here, each with its basis, and gets its sign as you type.</source>
        <translation>Wählen Sie ein Gesetz. Was es verlangt, steht dann hier, jeweils mit seiner Grundlage, und erhält sein Zeichen, während Sie tippen.</translation>
    </message>
    <message>
        <source>Choose a list</source>
        <translation>Liste wählen</translation>
    </message>
    <message>
        <source>Choose a longer span.</source>
        <translation>Wählen Sie einen längeren Zeitraum.</translation>
    </message>
    <message>
        <source>Choose a person, or type a node id: 3 to 64 letters, digits and . _ : -</source>
        <translation>Wählen Sie eine Person, oder geben Sie eine Personen-ID ein: 3 bis 64 Buchstaben, Ziffern und . _ : -</translation>
    </message>
    <message>
        <source>Choose a person, press Space and let them speak. What was found, why, and what to do next appear here.</source>
        <translation>Wählen Sie eine Person, drücken Sie die Leertaste und lassen Sie sie sprechen. Was gefunden wurde, warum, und was als Nächstes zu tun ist, erscheint hier.</translation>
    </message>
    <message>
        <source>Choose a person: whether somebody is enrolled, and since when, appears here.</source>
        <translation>Wählen Sie eine Person: Ob und seit wann sie erfasst ist, erscheint hier.</translation>
    </message>
    <message>
        <source>Choose a photo for the badge</source>
        <translation>Foto für den Ausweis wählen</translation>
    </message>
    <message>
        <source>Choose a profile</source>
        <translation>Profil wählen</translation>
    </message>
    <message>
        <source>Choose a registered person: an operator who signs in by card is one.</source>
        <translation>Wählen Sie eine registrierte Person: Ein Bediener, der sich mit Karte anmeldet, ist eine.</translation>
    </message>
    <message>
        <source>Choose a state</source>
        <translation>Stand wählen</translation>
    </message>
    <message>
        <source>Choose a subject and contain it: every door of this site refuses it at once, for a while. Discharges that the brake on a flood of them holds back wait here for a decision, too.</source>
        <translation>Wählen Sie eine Person, und setzen Sie sie fest: Jede Tür dieses Standorts weist sie sofort ab, für eine Weile. Auch Austritte, die die Bremse bei einer Flut zurückhält, warten hier auf eine Entscheidung.</translation>
    </message>
    <message>
        <source>Choose a subject first.</source>
        <translation>Wählen Sie zuerst eine Person.</translation>
    </message>
    <message>
        <source>Choose a subject. Every door, card and system that a burn would reach appears here before anything happens.{training}</source>
        <translation>Wählen Sie eine Person. Jede Tür, jede Karte und jedes System, die eine Sperrung erreichen würde, erscheinen hier, bevor etwas geschieht.{training}</translation>
    </message>
    <message>
        <source>Choose a template to compare</source>
        <translation>Template zum Vergleichen wählen</translation>
    </message>
    <message>
        <source>Choose an element.</source>
        <translation>Wählen Sie ein Element.</translation>
    </message>
    <message>
        <source>Choose an entry: what it says and what proves it appear here. A leaf is the hash of the entry; the checkpoint signs all leaves together, so that nobody can change one afterwards unseen.</source>
        <translation>Einen Eintrag wählen: Was er sagt und was ihn beweist, erscheint hier. Ein Blatt ist der Hash des Eintrags; der Checkpoint zeichnet alle Blätter zusammen, damit niemand danach eines ungesehen ändert.</translation>
    </message>
    <message>
        <source>Choose another file</source>
        <translation>Andere Datei wählen</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>Wählen Sie eine andere Datei.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>Choose another place.</source>
        <translation>Wählen Sie einen anderen Ort.</translation>
    </message>
    <message>
        <source>Choose at least one role.</source>
        <translation>Wählen Sie mindestens eine Rolle.</translation>
    </message>
    <message>
        <source>Choose now or while it writes; they open when it is proven.</source>
        <translation>Jetzt wählen oder während des Schreibens; sie öffnen, wenn es bewiesen ist.</translation>
    </message>
    <message>
        <source>Choose pictures and videos</source>
        <translation>Bilder und Videos wählen</translation>
    </message>
    <message>
        <source>Choose platforms</source>
        <translation>Plattformen wählen</translation>
    </message>
    <message>
        <source>Choose platforms: none is marked as default</source>
        <translation>Plattformen wählen: Keine ist als Standard markiert</translation>
    </message>
    <message>
        <source>Choose the person</source>
        <translation>Person wählen</translation>
    </message>
    <message>
        <source>Choose the person first.</source>
        <translation>Wählen Sie zuerst die Person.</translation>
    </message>
    <message>
        <source>Choose the person who spoke: then the recording can be checked (Ctrl+Enter).</source>
        <translation>Wählen Sie die Person, die gesprochen hat: Dann lässt sich die Aufnahme prüfen (Strg+Eingabe).</translation>
    </message>
    <message>
        <source>Choose the person, then 1 to 25 files: each 512 signed bytes under the registry&apos;s key, or 512 float32 features.</source>
        <translation>Wählen Sie die Person, dann 1 bis 25 Dateien: je 512 int8-Bytes unter dem Registerschlüssel oder 512 float32-Merkmale.</translation>
    </message>
    <message>
        <source>Choose the range of the burns</source>
        <translation>Zeitraum der Sperrungen wählen</translation>
    </message>
    <message>
        <source>Choose the reader</source>
        <translation>Lesegerät wählen</translation>
    </message>
    <message>
        <source>Choose the span</source>
        <translation>Zeitraum wählen</translation>
    </message>
    <message>
        <source>Choose while it writes; they open when it is proven.</source>
        <translation>Wählen Sie während des Schreibens; sie öffnen, wenn es bewiesen ist.</translation>
    </message>
    <message>
        <source>Choose who shall hold this card from now on.</source>
        <translation>Wählen Sie, wem diese Karte künftig gehört.</translation>
    </message>
    <message>
        <source>Choose whom to burn</source>
        <translation>Zu sperrende Person wählen</translation>
    </message>
    <message>
        <source>Choose whose badge</source>
        <translation>Wählen, wessen Ausweis</translation>
    </message>
    <message>
        <source>Choose {name}, {id}, instead</source>
        <translation>Stattdessen {name}, {id}, wählen</translation>
    </message>
    <message>
        <source>Chosen</source>
        <translation>Gewählt</translation>
    </message>
    <message>
        <source>Chosen: {words}</source>
        <translation>Gewählt: {words}</translation>
    </message>
    <message>
        <source>Citadel</source>
        <translation>Citadel</translation>
    </message>
    <message>
        <source>Citadel key</source>
        <translation>Citadel-Schlüssel</translation>
    </message>
    <message>
        <source>Citadel: everything</source>
        <translation>Citadel: alles</translation>
    </message>
    <message>
        <source>Clear</source>
        <comment>state</comment>
        <translation>Ruhig</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Clear the filter</source>
        <translation>Filter leeren</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>Liste leeren</translation>
    </message>
    <message>
        <source>Clear what is done</source>
        <translation>Erledigtes entfernen</translation>
    </message>
    <message>
        <source>Clearance</source>
        <translation>Freigabestufe</translation>
    </message>
    <message>
        <source>Cleared</source>
        <translation>Behoben</translation>
    </message>
    <message>
        <source>Clipboard</source>
        <translation>Zwischenablage</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>Frist</translation>
    </message>
    <message>
        <source>Clock of the burn</source>
        <translation>Uhr der Sperrung</translation>
    </message>
    <message>
        <source>Clock of this machine</source>
        <translation>Uhr dieses Rechners</translation>
    </message>
    <message>
        <source>Clock offset</source>
        <translation>Uhrabweichung</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close HR events</source>
        <translation>Personalereignisse schließen</translation>
    </message>
    <message>
        <source>Close it</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Close or clear</source>
        <translation>Schließen oder leeren</translation>
    </message>
    <message>
        <source>Close that program (often a browser, a mail program or a PIN agent), then Try again.</source>
        <translation>Schließen Sie dieses Programm (oft ein Browser, Mailprogramm oder PIN-Agent), dann „Erneut versuchen“.</translation>
    </message>
    <message>
        <source>Close the alarm</source>
        <translation>Alarm schließen</translation>
    </message>
    <message>
        <source>Close the frame&apos;s record</source>
        <translation>Die Aufzeichnung des Frames schließen</translation>
    </message>
    <message>
        <source>Close this alarm</source>
        <translation>Diesen Alarm schließen</translation>
    </message>
    <message>
        <source>Close without proof</source>
        <translation>Ohne Beweis schließen</translation>
    </message>
    <message>
        <source>Close {name} without proof</source>
        <translation>{name} ohne Beweis schließen</translation>
    </message>
    <message>
        <source>Closed</source>
        <translation>Geschlossen</translation>
    </message>
    <message>
        <source>Closed in the last hour</source>
        <translation>In der letzten Stunde beendet</translation>
    </message>
    <message>
        <source>Closes the palette, goes back to live from the past, empties the filter, takes the message away; it never leaves the page.</source>
        <translation>Schließt die Palette, führt aus der Vergangenheit zurück zu live, leert den Filter, nimmt die Meldung weg; verlässt nie die Seite.</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>Türgruppe</translation>
    </message>
    <message>
        <source>Cluster id</source>
        <translation>Türgruppen-ID</translation>
    </message>
    <message>
        <source>Cluster id: {sentence}</source>
        <translation>Türgruppen-ID: {sentence}</translation>
    </message>
    <message>
        <source>Cluster to sync to</source>
        <translation>Türgruppe für den Abgleich</translation>
    </message>
    <message>
        <source>Cluster {cluster}</source>
        <translation>Türgruppe {cluster}</translation>
    </message>
    <message>
        <source>Clusters</source>
        <translation>Türgruppen</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Code {code}; in force from {date}; {review}</source>
        <translation>Kürzel {code}; in Kraft ab {date}; {review}</translation>
    </message>
    <message>
        <source>Codes and hashes</source>
        <translation>Codes und Hashes</translation>
    </message>
    <message>
        <source>Codes and hashes of the entry</source>
        <translation>Codes und Hashes des Eintrags</translation>
    </message>
    <message>
        <source>Codes that this console has judged, newest first</source>
        <translation>Von dieser Konsole beurteilte Codes, neueste zuerst</translation>
    </message>
    <message>
        <source>Coexistent tag authority</source>
        <translation>Koexistente Tag-Autorität</translation>
    </message>
    <message>
        <source>Colour filter</source>
        <translation>Farbfilter</translation>
    </message>
    <message>
        <source>Colours from {low} to {high}; hatched: {unjudged}</source>
        <translation>Farben von {low} bis {high}; schraffiert: {unjudged}</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Columns of the page</source>
        <translation>Spalten der Seite</translation>
    </message>
    <message>
        <source>Comfortable, 32 px rows</source>
        <translation>Bequem, Zeilen 32 px</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Compact, 24 px rows</source>
        <translation>Kompakt, Zeilen 24 px</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Compare a template</source>
        <translation>Template vergleichen</translation>
    </message>
    <message>
        <source>Compare it with the notice, letter by letter.</source>
        <translation>Vergleichen Sie es Zeichen für Zeichen mit der Meldung.</translation>
    </message>
    <message>
        <source>Compare the template</source>
        <translation>Das Template vergleichen</translation>
    </message>
    <message>
        <source>Compared with</source>
        <translation>Verglichen mit</translation>
    </message>
    <message>
        <source>Complete</source>
        <translation>Vollständig</translation>
    </message>
    <message>
        <source>Complete, {age} ago</source>
        <translation>Vollständig, vor {age}</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>Abgeschlossen</translation>
    </message>
    <message>
        <source>Compression traces</source>
        <translation>Kompressionsspuren</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Konfidenz</translation>
    </message>
    <message>
        <source>Confirm a burn</source>
        <translation>Sperrung bestätigen</translation>
    </message>
    <message>
        <source>Confirm a written card</source>
        <translation>Geschriebene Karte bestätigen</translation>
    </message>
    <message>
        <source>Confirmation number</source>
        <translation>Bestätigungsnummer</translation>
    </message>
    <message>
        <source>Confirmed</source>
        <translation>Bestätigt</translation>
    </message>
    <message>
        <source>Confirmed by phone; burned by hand</source>
        <translation>Telefonisch bestätigt; von Hand gesperrt</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Connect again</source>
        <translation>Neu verbinden</translation>
    </message>
    <message>
        <source>Connect your directory</source>
        <translation>Verzeichnis anbinden</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>Verbunden</translation>
    </message>
    <message>
        <source>Connecting</source>
        <translation>Verbindet</translation>
    </message>
    <message>
        <source>Consensus seal</source>
        <translation>Konsens-Siegel</translation>
    </message>
    <message>
        <source>Consent</source>
        <translation>Einwilligung</translation>
    </message>
    <message>
        <source>Consents</source>
        <translation>Einwilligungen</translation>
    </message>
    <message>
        <source>Consents that were sealed, newest first</source>
        <translation>Versiegelte Einwilligungen, neueste zuerst</translation>
    </message>
    <message>
        <source>Contacts are scratched</source>
        <translation>Kontakte sind zerkratzt</translation>
    </message>
    <message>
        <source>Contain 15 min</source>
        <translation>15 min festsetzen</translation>
    </message>
    <message>
        <source>Contain now</source>
        <translation>Jetzt festsetzen</translation>
    </message>
    <message>
        <source>Contain the person for 15 minutes</source>
        <translation>Person 15 Minuten festsetzen</translation>
    </message>
    <message>
        <source>Contain the subject now</source>
        <translation>Person jetzt festsetzen</translation>
    </message>
    <message>
        <source>Contain {name}</source>
        <translation>{name} festsetzen</translation>
    </message>
    <message>
        <source>Contained</source>
        <translation>Festgesetzt</translation>
    </message>
    <message>
        <source>Contained and queued, newest first</source>
        <translation>Festgesetzt und eingereiht, neueste zuerst</translation>
    </message>
    <message>
        <source>Contained for longer</source>
        <translation>Festsetzung verlängert</translation>
    </message>
    <message>
        <source>Contained, or queued by the brake on discharges</source>
        <translation>Festgesetzt oder von der Bremse für Austritte eingereiht</translation>
    </message>
    <message>
        <source>Contained: the service enrols nothing for this person until the containment is lifted.</source>
        <translation>Festgesetzt: Der Dienst erfasst für diese Person nichts, bis die Festsetzung aufgehoben ist.</translation>
    </message>
    <message>
        <source>Contained{by_words}</source>
        <translation>Festgesetzt{by_words}</translation>
    </message>
    <message>
        <source>Container map</source>
        <translation>Container-Zuordnung</translation>
    </message>
    <message>
        <source>Containment of {person}</source>
        <translation>Festsetzung von {person}</translation>
    </message>
    <message>
        <source>Containment of {person} became a burn</source>
        <translation>Aus der Festsetzung von {person} wurde eine Sperrung</translation>
    </message>
    <message>
        <source>Containment of {person} ended by itself</source>
        <translation>Die Festsetzung von {person} endete von selbst</translation>
    </message>
    <message>
        <source>Containment of {person} made longer{until}</source>
        <translation>Die Festsetzung von {person} verlängert{until}</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Controller</source>
        <translation>Verantwortlicher</translation>
    </message>
    <message>
        <source>Copied places</source>
        <translation>Kopierte Stellen</translation>
    </message>
    <message>
        <source>Copies</source>
        <translation>Kopien</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy as a picture</source>
        <translation>Als Bild kopieren</translation>
    </message>
    <message>
        <source>Copy as picture</source>
        <translation>Als Bild kopieren</translation>
    </message>
    <message>
        <source>Copy diagnostics</source>
        <translation>Diagnose kopieren</translation>
    </message>
    <message>
        <source>Copy id</source>
        <translation>ID kopieren</translation>
    </message>
    <message>
        <source>Copy id of {subject}</source>
        <translation>ID von {subject} kopieren</translation>
    </message>
    <message>
        <source>Copy one address a line, then try again.</source>
        <translation>Kopieren Sie je Zeile eine Adresse, und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>Copy request id</source>
        <translation>Anfrage-ID kopieren</translation>
    </message>
    <message>
        <source>Copy the APDU trace</source>
        <translation>APDU-Trace kopieren</translation>
    </message>
    <message>
        <source>Copy the address for HR</source>
        <translation>Adresse für das Personalsystem kopieren</translation>
    </message>
    <message>
        <source>Copy the cell</source>
        <translation>Zelle kopieren</translation>
    </message>
    <message>
        <source>Copy the chosen message</source>
        <translation>Gewählte Meldung kopieren</translation>
    </message>
    <message>
        <source>Copy the consensus seal</source>
        <translation>Konsens-Siegel kopieren</translation>
    </message>
    <message>
        <source>Copy the entry</source>
        <translation>Eintrag kopieren</translation>
    </message>
    <message>
        <source>Copy the request id and look into the service&apos;s log.</source>
        <translation>Kopieren Sie die Anfrage-ID und sehen Sie im Protokoll des Dienstes nach.</translation>
    </message>
    <message>
        <source>Copy the row</source>
        <translation>Zeile kopieren</translation>
    </message>
    <message>
        <source>Copy the row of the table</source>
        <translation>Tabellenzeile kopieren</translation>
    </message>
    <message>
        <source>Copy the service&apos;s log</source>
        <translation>Dienstprotokoll kopieren</translation>
    </message>
    <message>
        <source>Copy the text</source>
        <translation>Text kopieren</translation>
    </message>
    <message>
        <source>Copy the token</source>
        <translation>Token kopieren</translation>
    </message>
    <message>
        <source>Copy the tracking token</source>
        <translation>Tracking-Token kopieren</translation>
    </message>
    <message>
        <source>Copy the {name}</source>
        <translation>{name} kopieren</translation>
    </message>
    <message>
        <source>Copy {name}</source>
        <translation>{name} kopieren</translation>
    </message>
    <message>
        <source>Copy {name} as a picture</source>
        <translation>{name} als Bild kopieren</translation>
    </message>
    <message>
        <source>Copyrighted work</source>
        <translation>Urheberrechtlich geschütztes Werk</translation>
    </message>
    <message>
        <source>Cosigned</source>
        <translation>Mitgezeichnet</translation>
    </message>
    <message>
        <source>Cosigned by</source>
        <translation>Mitgezeichnet von</translation>
    </message>
    <message>
        <source>Could have its secret, since they made it, rotated it, or made or rotated a key that did: {others}{rest}. It approves nothing that one of these, or a key of their making, asks for.</source>
        <translation>Könnten sein Geheimnis haben, weil sie ihn oder einen Schlüssel in seiner Linie erstellt oder rotiert haben: {others}{rest}. Er gibt nichts frei, was einer von diesen oder ein von ihnen erstellter Schlüssel anfragt.</translation>
    </message>
    <message>
        <source>Could not look: {what}.</source>
        <translation>Nicht zu prüfen: {what}.</translation>
    </message>
    <message>
        <source>Could sign in as this operator, so they never approve each other&apos;s requests: {others}.</source>
        <translation>Könnten sich als dieser Bediener anmelden und geben daher nie gegenseitig Anträge frei: {others}.</translation>
    </message>
    <message>
        <source>Counted over {count:,} entries of the audit log, the newest of the span: it has more, and older ones are not counted.</source>
        <translation>Gezählt über {count:,} Einträge des Audit-Protokolls, die neuesten des Zeitraums: Er hat mehr, und ältere sind nicht gezählt.</translation>
    </message>
    <message>
        <source>Counted over {count:,} entries of the audit log.</source>
        <translation>Gezählt über {count:,} Einträge des Audit-Protokolls.</translation>
    </message>
    <message>
        <source>Countered</source>
        <translation>Widersprochen</translation>
    </message>
    <message>
        <source>Credential profiles</source>
        <translation>Berechtigungsprofile</translation>
    </message>
    <message>
        <source>Crowded</source>
        <translation>Überfüllt</translation>
    </message>
    <message>
        <source>Cryptographic algorithms</source>
        <translation>Kryptographische Algorithmen</translation>
    </message>
    <message>
        <source>Ctrl++ and Ctrl+- change it at any time, and so do the settings.</source>
        <translation>Strg++ und Strg+- ändern sie jederzeit, ebenso die Einstellungen.</translation>
    </message>
    <message>
        <source>Cut out what matters and send that.</source>
        <translation>Schneiden Sie das Wesentliche aus, und senden Sie das.</translation>
    </message>
    <message>
        <source>Cut out what matters, at the file&apos;s own size. Do not scale it: that destroys the traces.</source>
        <translation>Schneiden Sie das Wesentliche aus, in der Größe der Datei. Skalieren Sie nicht: Das zerstört die Spuren.</translation>
    </message>
    <message>
        <source>DEADLINE CLOCK</source>
        <translation>Fristuhr</translation>
    </message>
    <message>
        <source>DECIDED IN</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>DECISION</source>
        <translation>Entscheidung</translation>
    </message>
    <message>
        <source>DECLARED</source>
        <translation>Angegeben</translation>
    </message>
    <message>
        <source>DEFAULT</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>DETAIL</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>DETECTOR</source>
        <translation>Detektor</translation>
    </message>
    <message>
        <source>DIFFERENCE</source>
        <translation>Abweichung</translation>
    </message>
    <message>
        <source>DIRECTORY</source>
        <translation>Verzeichnis</translation>
    </message>
    <message>
        <source>DONE</source>
        <translation>Getan</translation>
    </message>
    <message>
        <source>DOOR</source>
        <translation>Tür</translation>
    </message>
    <message>
        <source>DOORS</source>
        <translation>Türen</translation>
    </message>
    <message>
        <source>DRILL</source>
        <translation>ÜBUNG</translation>
    </message>
    <message>
        <source>DRILL: </source>
        <translation>ÜBUNG: </translation>
    </message>
    <message>
        <source>DRILL: burned everywhere{by_words}</source>
        <translation>ÜBUNG: überall gesperrt{by_words}</translation>
    </message>
    <message>
        <source>DRILL: burned here alone{by_words}</source>
        <translation>ÜBUNG: nur hier gesperrt{by_words}</translation>
    </message>
    <message>
        <source>DRILL: hold to burn</source>
        <translation>ÜBUNG: zum Sperren halten</translation>
    </message>
    <message>
        <source>DRILL: hold to burn {person}</source>
        <translation>ÜBUNG: zum Sperren von {person} halten</translation>
    </message>
    <message>
        <source>DROPPED</source>
        <translation>Verworfen</translation>
    </message>
    <message>
        <source>Daily</source>
        <translation>Täglich</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Dashboard</source>
        <translation>Übersicht</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Data: {data_age}</source>
        <translation>Daten: {data_age}</translation>
    </message>
    <message>
        <source>Day</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>Dead letter</source>
        <translation>Unzustellbar</translation>
    </message>
    <message>
        <source>Decide and close</source>
        <translation>Entscheiden und schließen</translation>
    </message>
    <message>
        <source>Decided</source>
        <translation>Entschieden</translation>
    </message>
    <message>
        <source>Decision</source>
        <translation>Entscheidung</translation>
    </message>
    <message>
        <source>Decisions</source>
        <translation>Entscheidungen</translation>
    </message>
    <message>
        <source>Decisions by palm, newest first</source>
        <translation>Entscheidungen nach Handfläche, neueste zuerst</translation>
    </message>
    <message>
        <source>Declaration</source>
        <translation>Erklärung</translation>
    </message>
    <message>
        <source>Declaration (PDF)</source>
        <translation>Erklärung (PDF)</translation>
    </message>
    <message>
        <source>Declarations and notices of a strike go to platforms that stand here: by mail, by a call, or by a form that a person fills in.</source>
        <translation>Erklärungen und Meldungen eines Vorgangs gehen an Plattformen, die hier stehen: per E-Mail, per Aufruf oder per Formular, das eine Person ausfüllt.</translation>
    </message>
    <message>
        <source>Declarations and notices of a strike go to this address. A law with another one gets a line of its own.</source>
        <translation>Erklärungen und Meldungen eines Vorgangs gehen an diese Adresse. Ein Gesetz mit einer anderen erhält eine eigene Zeile.</translation>
    </message>
    <message>
        <source>Declared</source>
        <translation>Erklärt</translation>
    </message>
    <message>
        <source>Declared as</source>
        <translation>Deklariert als</translation>
    </message>
    <message>
        <source>Declared by</source>
        <translation>Erklärt von</translation>
    </message>
    <message>
        <source>Declared validation</source>
        <translation>Angegebene Validierung</translation>
    </message>
    <message>
        <source>Degraded</source>
        <translation>Beeinträchtigt</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Delete the cluster</source>
        <translation>Türgruppe löschen</translation>
    </message>
    <message>
        <source>Delete the directory</source>
        <translation>Verzeichnis löschen</translation>
    </message>
    <message>
        <source>Delete the element&apos;s row</source>
        <translation>Zeile des Elements löschen</translation>
    </message>
    <message>
        <source>Delete the peer</source>
        <translation>Gegenstelle löschen</translation>
    </message>
    <message>
        <source>Delete the person</source>
        <translation>Person löschen</translation>
    </message>
    <message>
        <source>Delete the platform</source>
        <translation>Plattform löschen</translation>
    </message>
    <message>
        <source>Delete the profile</source>
        <translation>Profil löschen</translation>
    </message>
    <message>
        <source>Delete the registry</source>
        <translation>Register löschen</translation>
    </message>
    <message>
        <source>Delete the row</source>
        <translation>Zeile löschen</translation>
    </message>
    <message>
        <source>Delete the source</source>
        <translation>Quelle löschen</translation>
    </message>
    <message>
        <source>Delete the template registry</source>
        <translation>Template-Register löschen</translation>
    </message>
    <message>
        <source>Delete the terminal</source>
        <translation>Terminal löschen</translation>
    </message>
    <message>
        <source>Delete the unit</source>
        <translation>Einheit löschen</translation>
    </message>
    <message>
        <source>Delete {name}</source>
        <translation>{name} löschen</translation>
    </message>
    <message>
        <source>Delete {name}?</source>
        <translation>{name} löschen?</translation>
    </message>
    <message>
        <source>Delivered</source>
        <translation>Zugestellt</translation>
    </message>
    <message>
        <source>Delivered without a proof, not found, or given up by a person.</source>
        <translation>Ohne Beweis zugestellt, nicht gefunden oder von einem Menschen aufgegeben.</translation>
    </message>
    <message>
        <source>Delivered, waits</source>
        <translation>Zugestellt, wartet</translation>
    </message>
    <message>
        <source>Demoted</source>
        <translation>Herabgestuft</translation>
    </message>
    <message>
        <source>Denied</source>
        <translation>Abgewiesen</translation>
    </message>
    <message>
        <source>Denied here for a while; it can be taken back.</source>
        <translation>Hier für eine Weile abgewiesen; das lässt sich zurücknehmen.</translation>
    </message>
    <message>
        <source>Density</source>
        <translation>Dichte</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <source>Desk: burns, containments, alarms, doors</source>
        <translation>Leitstelle: Sperrungen, Festsetzungen, Alarme, Türen</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Angaben</translation>
    </message>
    <message>
        <source>Details are missing</source>
        <translation>Angaben fehlen</translation>
    </message>
    <message>
        <source>Detectors</source>
        <translation>Detektoren</translation>
    </message>
    <message>
        <source>Detectors ({count})</source>
        <translation>Detektoren ({count})</translation>
    </message>
    <message>
        <source>Detectors ({fired} of {count})</source>
        <translation>Detektoren ({fired} von {count})</translation>
    </message>
    <message>
        <source>Device reported</source>
        <translation>Vom Gerät gemeldet</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>Diagnose</translation>
    </message>
    <message>
        <source>Diagnostics are on the clipboard.</source>
        <translation>Die Diagnose ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>Dialect</source>
        <translation>Dialekt</translation>
    </message>
    <message>
        <source>Did you mean</source>
        <translation>Meinten Sie</translation>
    </message>
    <message>
        <source>Different speaker</source>
        <translation>Anderer Sprecher</translation>
    </message>
    <message>
        <source>Digits</source>
        <translation>Ziffern</translation>
    </message>
    <message>
        <source>Digits to say: {digits}</source>
        <translation>Zu sprechende Ziffern: {digits}</translation>
    </message>
    <message>
        <source>Directories</source>
        <translation>Verzeichnisse</translation>
    </message>
    <message>
        <source>Directories need Citadel clearance.</source>
        <translation>Verzeichnisse erfordern die Freigabestufe Citadel.</translation>
    </message>
    <message>
        <source>Directory</source>
        <translation>Verzeichnis</translation>
    </message>
    <message>
        <source>Directory id</source>
        <translation>Verzeichnis-ID</translation>
    </message>
    <message>
        <source>Directory {name}</source>
        <translation>Verzeichnis {name}</translation>
    </message>
    <message>
        <source>Disabled</source>
        <translation>Deaktiviert</translation>
    </message>
    <message>
        <source>Discharge</source>
        <translation>Austritt</translation>
    </message>
    <message>
        <source>Discharges a minute, 10 where HR is small</source>
        <translation>Austritte pro Minute, 10 bei kleinem Personal</translation>
    </message>
    <message>
        <source>Discharges are held by the brake</source>
        <translation>Austritte werden von der Bremse gehalten</translation>
    </message>
    <message>
        <source>Discharges that the brake holds</source>
        <translation>Austritte, die die Bremse hält</translation>
    </message>
    <message>
        <source>Discharges that wait for a person.</source>
        <translation>Austritte, die auf einen Menschen warten.</translation>
    </message>
    <message>
        <source>Disconnected</source>
        <translation>Getrennt</translation>
    </message>
    <message>
        <source>Discovery object</source>
        <translation>Discovery-Objekt</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Dismiss {subject}</source>
        <translation>{subject} ausblenden</translation>
    </message>
    <message>
        <source>Dispatched</source>
        <translation>Abgesandt</translation>
    </message>
    <message>
        <source>Dispatched, waits</source>
        <translation>Versandt, wartet</translation>
    </message>
    <message>
        <source>Do not let the caller know how close it came. Ask for a card, or for the person to come here.</source>
        <translation>Lassen Sie den Anrufer nicht wissen, wie nahe es kam. Verlangen Sie eine Karte, oder dass die Person herkommt.</translation>
    </message>
    <message>
        <source>Do not try PINs with other programs: after the last try the card is blocked.</source>
        <translation>Probieren Sie keine PINs mit anderen Programmen: Nach dem letzten Versuch ist die Karte blockiert.</translation>
    </message>
    <message>
        <source>Document</source>
        <translation>Dokument</translation>
    </message>
    <message>
        <source>Does at one simulated reader what its tile asks for: a card out, a blank or the same one in.</source>
        <translation>Tut an einem simulierten Lesegerät, was dessen Kachel verlangt: eine Karte heraus, eine leere oder dieselbe hinein.</translation>
    </message>
    <message>
        <source>Does not answer</source>
        <translation>Antwortet nicht</translation>
    </message>
    <message>
        <source>Domains in lower case, such as video.example, with blanks between them.</source>
        <translation>Domains in Kleinbuchstaben, wie video.example, durch Leerzeichen getrennt.</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Erledigt</translation>
    </message>
    <message>
        <source>Done, {count} failed</source>
        <translation>Erledigt, {count} fehlgeschlagen</translation>
    </message>
    <message>
        <source>Done: {parts}</source>
        <translation>Fertig: {parts}</translation>
    </message>
    <message>
        <source>Door</source>
        <translation>Tür</translation>
    </message>
    <message>
        <source>Door cluster</source>
        <translation>Türgruppe</translation>
    </message>
    <message>
        <source>Door that the badge is presented at</source>
        <translation>Tür, an der der Ausweis vorgezeigt wird</translation>
    </message>
    <message>
        <source>Doors</source>
        <translation>Türen</translation>
    </message>
    <message>
        <source>Doors of the cluster</source>
        <translation>Türen der Türgruppe</translation>
    </message>
    <message>
        <source>Doors of the sync</source>
        <translation>Türen des Abgleichs</translation>
    </message>
    <message>
        <source>Doors of {cluster}</source>
        <translation>Türen von {cluster}</translation>
    </message>
    <message>
        <source>Doors of {id}</source>
        <translation>Türen von {id}</translation>
    </message>
    <message>
        <source>Doors online</source>
        <translation>Türen online</translation>
    </message>
    <message>
        <source>Doors online{now}</source>
        <translation>Türen online{now}</translation>
    </message>
    <message>
        <source>Doors open now</source>
        <translation>Türen jetzt offen</translation>
    </message>
    <message>
        <source>Doors that are granted as one, with their channels and addresses.</source>
        <translation>Türen, für die gemeinsam berechtigt wird, mit ihren Kanälen und Adressen.</translation>
    </message>
    <message>
        <source>Doors, cards and grants of this site only.</source>
        <translation>Nur Türen, Karten und Berechtigungen dieses Standorts.</translation>
    </message>
    <message>
        <source>Doors, cards, checks and decisions about the person appear here.</source>
        <translation>Türen, Karten, Prüfungen und Entscheidungen zur Person erscheinen hier.</translation>
    </message>
    <message>
        <source>Double compression</source>
        <translation>Doppelte Kompression</translation>
    </message>
    <message>
        <source>Down</source>
        <translation>Ausgefallen</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>Drag to zoom, Ctrl-drag to select, Shift-drag to pan, double click to go out</source>
        <translation>Ziehen vergrößert, Strg-Ziehen wählt, Umschalt-Ziehen schiebt, Doppelklick zeigt alles</translation>
    </message>
    <message>
        <source>Drag to zoom, double click to go out. By keys: arrows, plus, minus, Home.</source>
        <translation>Ziehen zum Vergrößern, Doppelklick zum Verkleinern. Mit Tasten: Pfeile, Plus, Minus, Pos1.</translation>
    </message>
    <message>
        <source>Drill</source>
        <translation>Übung</translation>
    </message>
    <message>
        <source>Drill identity: for exercises, not a real person</source>
        <translation>Übungsidentität: für Übungen, keine echte Person</translation>
    </message>
    <message>
        <source>Drill target: a drill reaches it, too</source>
        <translation>Übungsziel: Auch eine Übung erreicht es</translation>
    </message>
    <message>
        <source>Drills alone</source>
        <translation>Nur Übungen</translation>
    </message>
    <message>
        <source>Drills alone, or none</source>
        <translation>Nur Übungen oder keine</translation>
    </message>
    <message>
        <source>Drop a CSV here. Its first line names the columns: {heading} (the second may be left out). Every line is checked and shown before anything begins.</source>
        <translation>Ziehen Sie eine CSV-Datei hierher. Ihre erste Zeile nennt die Spalten: {heading} (die zweite darf fehlen). Jede Zeile wird geprüft und angezeigt, bevor etwas beginnt.</translation>
    </message>
    <message>
        <source>Drop files, a folder or addresses here. Each is scanned in its turn; the list of scans keeps the results.</source>
        <translation>Ziehen Sie Dateien, einen Ordner oder Adressen hierher. Eins nach dem anderen wird geprüft; die Liste der Prüfungen bewahrt die Ergebnisse.</translation>
    </message>
    <message>
        <source>Drop the CA that is stored</source>
        <translation>Gespeicherte CA verwerfen</translation>
    </message>
    <message>
        <source>Drop the certificates registered before</source>
        <translation>Früher registrierte Zertifikate verwerfen</translation>
    </message>
    <message>
        <source>Drop the secret that is stored</source>
        <translation>Gespeichertes Geheimnis verwerfen</translation>
    </message>
    <message>
        <source>Drop the token that is stored</source>
        <translation>Gespeichertes Token verwerfen</translation>
    </message>
    <message>
        <source>Dropped</source>
        <translation>Verworfen</translation>
    </message>
    <message>
        <source>Dynamic authentication template</source>
        <translation>Dynamische Authentisierung</translation>
    </message>
    <message>
        <source>E-mail</source>
        <translation>E-Mail</translation>
    </message>
    <message>
        <source>ELEMENT</source>
        <translation>Element</translation>
    </message>
    <message>
        <source>EMPLOYEE</source>
        <translation>Personalnr.</translation>
    </message>
    <message>
        <source>ENDED</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>ENDS</source>
        <translation>Endet</translation>
    </message>
    <message>
        <source>ENDS IN</source>
        <translation>Endet in</translation>
    </message>
    <message>
        <source>EPOCH</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>EVENT</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>EXIF thumbnail</source>
        <translation>EXIF-Vorschaubild</translation>
    </message>
    <message>
        <source>EXPECTED</source>
        <translation>Erwartet</translation>
    </message>
    <message>
        <source>EXPIRES</source>
        <translation>Läuft ab</translation>
    </message>
    <message>
        <source>Each APDU of a finished or torn write appears here: stage, status word, time.</source>
        <translation>Jede APDU eines fertigen oder abgebrochenen Schreibens erscheint hier: Stufe, Statuswort, Zeit.</translation>
    </message>
    <message>
        <source>Each blank card that lies in a reader, or is put into one, takes the next line at once.</source>
        <translation>Jede leere Karte, die in einem Lesegerät liegt oder eingelegt wird, erhält sofort die nächste Zeile.</translation>
    </message>
    <message>
        <source>Each card and palm at a reader appears here: who, where, and what the door decided.</source>
        <translation>Jede Karte und Handfläche an einem Lesegerät erscheint hier: wer, wo und was die Tür entschieden hat.</translation>
    </message>
    <message>
        <source>Each card appears here with the door&apos;s decision and why.</source>
        <translation>Jede Karte erscheint hier mit der Entscheidung der Tür und dem Grund.</translation>
    </message>
    <message>
        <source>Each card that was bought has a row here: what it is declared to be, the keys it came with, where it lies, and later what was written on it. Import the maker&apos;s list as CSV, or drop it here; Ctrl+N adds one.</source>
        <translation>Jede gekaufte Karte hat hier eine Zeile: was für sie angegeben ist, mit welchen Schlüsseln sie kam, wo sie liegt und später, was auf sie geschrieben wurde. Importieren Sie die Liste des Herstellers als CSV oder ziehen Sie sie hierher; Strg+N fügt eine hinzu.</translation>
    </message>
    <message>
        <source>Each decision appears here at once, with terminal, intent, confidence and standing.{here}</source>
        <translation>Jede Entscheidung erscheint hier sofort, mit Terminal, Zweck, Konfidenz und Status.{here}</translation>
    </message>
    <message>
        <source>Each door of the cluster takes a new Secure Channel key; one that is away, when it is back.</source>
        <translation>Jede Tür der Türgruppe übernimmt einen neuen Secure-Channel-Schlüssel; eine nicht erreichbare, sobald sie zurück ist.</translation>
    </message>
    <message>
        <source>Each field of the platform&apos;s form to copy.</source>
        <translation>Jedes Feld des Plattformformulars zum Kopieren.</translation>
    </message>
    <message>
        <source>Each is tried on the spot, and ticked by what the service knows of it.</source>
        <translation>Jeder wird sofort ausprobiert und nach dem Wissen des Dienstes abgehakt.</translation>
    </message>
    <message>
        <source>Each key answered a challenge that its certificate verifies.</source>
        <translation>Jeder Schlüssel beantwortete eine Challenge, die sein Zertifikat bestätigt.</translation>
    </message>
    <message>
        <source>Each step is {time}: the largest p99 of a frame (dark), the median of all p50 (blue).</source>
        <translation>Jeder Schritt umfasst {time}: das größte p99 eines Frames (dunkel), der Median aller p50 (blau).</translation>
    </message>
    <message>
        <source>Each write of the card appears here, with its signed receipt.</source>
        <translation>Jedes Schreiben der Karte erscheint hier, mit seinem signierten Beleg.</translation>
    </message>
    <message>
        <source>Earlier saves</source>
        <translation>Frühere Speicherungen</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Ändern</translation>
    </message>
    <message>
        <source>Edit the cluster</source>
        <translation>Türgruppe bearbeiten</translation>
    </message>
    <message>
        <source>Edit {cluster}</source>
        <translation>{cluster} bearbeiten</translation>
    </message>
    <message>
        <source>Edits told</source>
        <translation>Bearbeitungen</translation>
    </message>
    <message>
        <source>Element</source>
        <translation>Element</translation>
    </message>
    <message>
        <source>Elements of the file</source>
        <translation>Elemente der Datei</translation>
    </message>
    <message>
        <source>Employed, burned</source>
        <translation>Beschäftigt, gesperrt</translation>
    </message>
    <message>
        <source>Employee</source>
        <translation>Personalnummer</translation>
    </message>
    <message>
        <source>Employee id</source>
        <translation>Personalnummer</translation>
    </message>
    <message>
        <source>Employees</source>
        <translation>Beschäftigte</translation>
    </message>
    <message>
        <source>Empties the fields. Drafts are not kept: they name people.</source>
        <translation>Leert die Felder. Entwürfe werden nicht aufbewahrt: Sie nennen Personen.</translation>
    </message>
    <message>
        <source>Empty</source>
        <translation>Leer</translation>
    </message>
    <message>
        <source>Empty and ready</source>
        <translation>Leer und bereit</translation>
    </message>
    <message>
        <source>Empty it</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Empty the draft?</source>
        <translation>Entwurf leeren?</translation>
    </message>
    <message>
        <source>Empty: any certificate of that CA</source>
        <translation>Leer: jedes Zertifikat dieser CA</translation>
    </message>
    <message>
        <source>Empty: as the law file has it</source>
        <translation>Leer: wie in der Gesetzesdatei</translation>
    </message>
    <message>
        <source>Empty: as the site has it</source>
        <translation>Leer: wie am Standort eingestellt</translation>
    </message>
    <message>
        <source>Empty: certificates that this machine trusts</source>
        <translation>Leer: Zertifikate, denen dieser Rechner vertraut</translation>
    </message>
    <message>
        <source>Empty: everybody in the registry</source>
        <translation>Leer: alle im Register</translation>
    </message>
    <message>
        <source>Empty: everybody is searched</source>
        <translation>Leer: Alle werden durchsucht</translation>
    </message>
    <message>
        <source>Empty: its certificate must be of the site&apos;s own root</source>
        <translation>Leer: Das Zertifikat muss von der eigenen Wurzel des Standorts stammen</translation>
    </message>
    <message>
        <source>Empty: no end is agreed</source>
        <translation>Leer: kein Ende vereinbart</translation>
    </message>
    <message>
        <source>Empty: the consent is about no medium</source>
        <translation>Leer: Die Einwilligung betrifft kein Medium</translation>
    </message>
    <message>
        <source>Empty: the stored one stays</source>
        <translation>Leer: Das gespeicherte bleibt</translation>
    </message>
    <message>
        <source>Empty: the terminal&apos;s own code</source>
        <translation>Leer: der eigene Code des Terminals</translation>
    </message>
    <message>
        <source>Encryption key</source>
        <translation>Verschlüsselungsschlüssel</translation>
    </message>
    <message>
        <source>End the old one</source>
        <translation>Altes beenden</translation>
    </message>
    <message>
        <source>End the old secret</source>
        <translation>Altes Geheimnis beenden</translation>
    </message>
    <message>
        <source>End the old secret of {source}</source>
        <translation>Altes Geheimnis von {source} beenden</translation>
    </message>
    <message>
        <source>End the old secret of {source}?</source>
        <translation>Altes Geheimnis von {source} beenden?</translation>
    </message>
    <message>
        <source>End the operator</source>
        <translation>Bediener beenden</translation>
    </message>
    <message>
        <source>End {name}</source>
        <translation>{name} beenden</translation>
    </message>
    <message>
        <source>End {name}?</source>
        <translation>{name} beenden?</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>Ended at {time}.</source>
        <translation>Endete um {time}.</translation>
    </message>
    <message>
        <source>Ended: signs in nowhere</source>
        <translation>Beendet: meldet sich nirgends an</translation>
    </message>
    <message>
        <source>Ends</source>
        <translation>Endet</translation>
    </message>
    <message>
        <source>Ends all sessions of the operator at once.</source>
        <translation>Beendet sofort alle Sitzungen des Bedieners.</translation>
    </message>
    <message>
        <source>Ends at ({zone})</source>
        <translation>Endet am ({zone})</translation>
    </message>
    <message>
        <source>Ends by itself in {age}.</source>
        <translation>Endet von selbst in {age}.</translation>
    </message>
    <message>
        <source>Ends in</source>
        <translation>Endet in</translation>
    </message>
    <message>
        <source>Ends that card for good. The person is not burned and keeps everything else.</source>
        <translation>Beendet diese Karte endgültig. Die Person wird nicht gesperrt und behält alles andere.</translation>
    </message>
    <message>
        <source>Ends the connection and makes a new one; the service of this console is started anew.</source>
        <translation>Beendet die Verbindung und baut eine neue auf; der Dienst dieser Konsole wird neu gestartet.</translation>
    </message>
    <message>
        <source>Ends the console: no alarm calls here until it is started again.</source>
        <translation>Beendet die Konsole: Kein Alarm ruft hier, bis sie wieder gestartet wird.</translation>
    </message>
    <message>
        <source>Ends the containment now. A burn is not touched.</source>
        <translation>Beendet die Festsetzung jetzt. Eine Sperrung bleibt unberührt.</translation>
    </message>
    <message>
        <source>Ends the containment now. A burn of the subject is not touched.</source>
        <translation>Beendet die Festsetzung jetzt. Eine Sperrung der Person bleibt unberührt.</translation>
    </message>
    <message>
        <source>Ends this card&apos;s certificates, PIN and doors for good. {name} is not burned and keeps all other access.</source>
        <translation>Beendet Zertifikate, PIN und Türen dieser Karte endgültig. {name} wird nicht gesperrt und behält jeden anderen Zugang.</translation>
    </message>
    <message>
        <source>Enforce with this scan</source>
        <translation>Mit dieser Prüfung durchsetzen</translation>
    </message>
    <message>
        <source>Enforce with this seal</source>
        <translation>Mit diesem Siegel durchsetzen</translation>
    </message>
    <message>
        <source>Enforcement</source>
        <translation>Durchsetzung</translation>
    </message>
    <message>
        <source>Enforcement needs Citadel clearance.</source>
        <translation>Die Durchsetzung erfordert die Freigabestufe Citadel.</translation>
    </message>
    <message>
        <source>Enforce…</source>
        <translation>Durchsetzen…</translation>
    </message>
    <message>
        <source>Engineering data with a date, no legal advice: a lawyer signs it off for this site.</source>
        <translation>Technische Daten mit Datum, keine Rechtsberatung: Ein Jurist zeichnet sie für diesen Standort ab.</translation>
    </message>
    <message>
        <source>Enough to decide</source>
        <translation>Genug zum Entscheiden</translation>
    </message>
    <message>
        <source>Enrol</source>
        <translation>Erfassen</translation>
    </message>
    <message>
        <source>Enrol a voice</source>
        <translation>Eine Stimme erfassen</translation>
    </message>
    <message>
        <source>Enrol by the terminal</source>
        <translation>Am Terminal</translation>
    </message>
    <message>
        <source>Enrol by the training terminal</source>
        <translation>Am Übungsterminal erfassen</translation>
    </message>
    <message>
        <source>Enrol the samples</source>
        <translation>Proben erfassen</translation>
    </message>
    <message>
        <source>Enrol the voice of {person}</source>
        <translation>Stimme von {person} erfassen</translation>
    </message>
    <message>
        <source>Enrol these samples</source>
        <translation>Diese Proben erfassen</translation>
    </message>
    <message>
        <source>Enrol these takes</source>
        <translation>Diese Sprechproben erfassen</translation>
    </message>
    <message>
        <source>Enrol {person}</source>
        <translation>{person} erfassen</translation>
    </message>
    <message>
        <source>Enrol {person} at {terminal}</source>
        <translation>{person} an {terminal} erfassen</translation>
    </message>
    <message>
        <source>Enrolled</source>
        <translation>Erfasst</translation>
    </message>
    <message>
        <source>Enrolled as another, too</source>
        <translation>Auch als andere Person erfasst</translation>
    </message>
    <message>
        <source>Enrolled for older models</source>
        <translation>Für ältere Modelle erfasst</translation>
    </message>
    <message>
        <source>Enrolling</source>
        <translation>Wird erfasst</translation>
    </message>
    <message>
        <source>Enrolment</source>
        <translation>Erfassung</translation>
    </message>
    <message>
        <source>Enter a door</source>
        <translation>Durch eine Tür hinein</translation>
    </message>
    <message>
        <source>Enter does it in the picture.</source>
        <translation>Im Bild tut es die Eingabetaste.</translation>
    </message>
    <message>
        <source>Enter hides them</source>
        <translation>Eingabe blendet sie aus</translation>
    </message>
    <message>
        <source>Enter on its row does the same.</source>
        <translation>Die Eingabetaste auf der Zeile tut dasselbe.</translation>
    </message>
    <message>
        <source>Enter opens the board</source>
        <translation>Eingabe öffnet die Ziele</translation>
    </message>
    <message>
        <source>Enter or Space shows or hides its {count} entries</source>
        <translation>Enter oder Leertaste zeigt oder verbirgt die {count} Einträge</translation>
    </message>
    <message>
        <source>Enter shows them</source>
        <translation>Eingabe zeigt sie</translation>
    </message>
    <message>
        <source>Entries {low} to {high} were not found.</source>
        <translation>Einträge {low} bis {high} wurden nicht gefunden.</translation>
    </message>
    <message>
        <source>Entry</source>
        <translation>Eintrag</translation>
    </message>
    <message>
        <source>Entry of the audit log</source>
        <translation>Eintrag des Audit-Protokolls</translation>
    </message>
    <message>
        <source>Entry {seq:,} is on the clipboard.</source>
        <translation>Eintrag {seq:,} liegt in der Zwischenablage.</translation>
    </message>
    <message>
        <source>Entry {seq}</source>
        <translation>Eintrag {seq}</translation>
    </message>
    <message>
        <source>Erase</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Erase it</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Erase the person&apos;s templates</source>
        <translation>Templates der Person löschen</translation>
    </message>
    <message>
        <source>Erase the templates</source>
        <translation>Templates löschen</translation>
    </message>
    <message>
        <source>Erase the templates of {person}</source>
        <translation>Templates von {person} löschen</translation>
    </message>
    <message>
        <source>Erase the templates of {person}?</source>
        <translation>Templates von {person} löschen?</translation>
    </message>
    <message>
        <source>Erase the vocal signature</source>
        <translation>Stimmsignatur löschen</translation>
    </message>
    <message>
        <source>Erase the vocal signature of {person}</source>
        <translation>Stimmsignatur von {person} löschen</translation>
    </message>
    <message>
        <source>Erase the vocal signature of {person}?</source>
        <translation>Stimmsignatur von {person} löschen?</translation>
    </message>
    <message>
        <source>Erase them</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Erased</source>
        <translation>Gelöscht</translation>
    </message>
    <message>
        <source>Erased on a legal basis</source>
        <translation>Auf rechtlicher Grundlage gelöscht</translation>
    </message>
    <message>
        <source>Erased on a legal basis; the leaf stays in the log</source>
        <translation>Aus Rechtsgrund gelöscht; das Blatt bleibt im Protokoll</translation>
    </message>
    <message>
        <source>Erase…</source>
        <translation>Löschen…</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Error detection code</source>
        <translation>Fehlererkennungscode</translation>
    </message>
    <message>
        <source>Error level</source>
        <translation>Fehlerniveau</translation>
    </message>
    <message>
        <source>Error rates at the tolerance</source>
        <translation>Fehlerraten bei der Toleranz</translation>
    </message>
    <message>
        <source>Esc closes</source>
        <translation>Esc schließt</translation>
    </message>
    <message>
        <source>Esc for live</source>
        <translation>Mit Esc zu live</translation>
    </message>
    <message>
        <source>Esc goes back</source>
        <translation>Esc geht zurück</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>Events lost</source>
        <translation>Verlorene Ereignisse</translation>
    </message>
    <message>
        <source>Events of the person by kind and time</source>
        <translation>Ereignisse der Person nach Art und Zeit</translation>
    </message>
    <message>
        <source>Events received</source>
        <translation>Empfangene Ereignisse</translation>
    </message>
    <message>
        <source>Events that were lost on the way.</source>
        <translation>Ereignisse, die unterwegs verloren gingen.</translation>
    </message>
    <message>
        <source>Events unknown</source>
        <translation>Ereignisse unbekannt</translation>
    </message>
    <message>
        <source>Every APDU; secrets appear as their length</source>
        <translation>Jede APDU; Geheimnisse erscheinen als Länge</translation>
    </message>
    <message>
        <source>Every active node belongs to somebody whom HR employs.</source>
        <translation>Jede aktive Personen-ID gehört zu jemandem, der beschäftigt ist.</translation>
    </message>
    <message>
        <source>Every batch stays here with its report.</source>
        <translation>Jeder Stapel bleibt hier mit seinem Bericht.</translation>
    </message>
    <message>
        <source>Every burn stays here with its targets and their evidence.</source>
        <translation>Jede Sperrung bleibt hier mit ihren Zielen und deren Beweisen.</translation>
    </message>
    <message>
        <source>Every discharge has come to its end.</source>
        <translation>Jeder Austritt ist abgeschlossen.</translation>
    </message>
    <message>
        <source>Every door of this site refuses the person for 15 minutes; it can be taken back.</source>
        <translation>Jede Tür dieses Standorts weist die Person 15 Minuten ab; es lässt sich zurücknehmen.</translation>
    </message>
    <message>
        <source>Every door of this site refuses the subject for the time given; it can be taken back.</source>
        <translation>Jede Tür dieses Standorts weist die Person für die angegebene Zeit ab; es lässt sich zurücknehmen.</translation>
    </message>
    <message>
        <source>Every door refuses</source>
        <translation>Jede Tür weist ab</translation>
    </message>
    <message>
        <source>Every door refuses; {unproven}</source>
        <translation>Jede Tür weist ab; {unproven}</translation>
    </message>
    <message>
        <source>Every door; {count} other open</source>
        <translation>Jede Tür; sonst {count} offen</translation>
    </message>
    <message>
        <source>Every element that the search and the state find, as CSV.</source>
        <translation>Jedes Element, das Suche und Stand finden, als CSV.</translation>
    </message>
    <message>
        <source>Every finished card with the digest of its signed receipt, as CSV.</source>
        <translation>Jede fertige Karte mit der Prüfsumme ihres signierten Belegs, als CSV.</translation>
    </message>
    <message>
        <source>Every line and what became of it, as CSV.</source>
        <translation>Jede Zeile und was aus ihr wurde, als CSV.</translation>
    </message>
    <message>
        <source>Every line has its card</source>
        <translation>Jede Zeile hat ihre Karte</translation>
    </message>
    <message>
        <source>Every object was read again in a fresh session and is equal.</source>
        <translation>Jedes Objekt wurde in einer neuen Sitzung zurückgelesen und ist gleich.</translation>
    </message>
    <message>
        <source>Every open alarm has an owner.</source>
        <translation>Jeder offene Alarm hat einen Zuständigen.</translation>
    </message>
    <message>
        <source>Every target of the burn is proven</source>
        <translation>Jedes Ziel der Sperrung ist bewiesen</translation>
    </message>
    <message>
        <source>Every template of this person goes, palm and stylized, in every registry. To be matched again they are enrolled anew. {alone}</source>
        <translation>Alle Templates dieser Person werden gelöscht, Handfläche und stilisiert, in jedem Register. Um wieder erkannt zu werden, muss sie neu erfasst werden. {alone}</translation>
    </message>
    <message>
        <source>Every write stays here, with its person, its result and its time.</source>
        <translation>Jedes Schreiben bleibt hier, mit Person, Ergebnis und Zeit.</translation>
    </message>
    <message>
        <source>Every written card is marked as given.</source>
        <translation>Jede geschriebene Karte ist als ausgegeben vermerkt.</translation>
    </message>
    <message>
        <source>Everybody</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Everybody who may have a card has one.</source>
        <translation>Alle, die eine Karte haben dürfen, haben eine.</translation>
    </message>
    <message>
        <source>Everyone who has no card</source>
        <translation>Alle ohne Karte</translation>
    </message>
    <message>
        <source>Everything can be found with Ctrl+K. All keys: ?. Another operator: F12.</source>
        <translation>Alles finden Sie mit Strg+K. Alle Tasten: ?. Anderer Bediener: F12.</translation>
    </message>
    <message>
        <source>Everything that moves comes over this one stream.</source>
        <translation>Alles, was sich bewegt, kommt über diesen einen Strom.</translation>
    </message>
    <message>
        <source>Everything under it is held.</source>
        <translation>Alles nach diesem Gesetz wird zurückgehalten.</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>Beweise</translation>
    </message>
    <message>
        <source>Evidence bundle</source>
        <translation>Beweispaket</translation>
    </message>
    <message>
        <source>Evidence of the burn</source>
        <translation>Beweise der Sperrung</translation>
    </message>
    <message>
        <source>Evidence of the burn of {person} sealed</source>
        <translation>Belege der Sperrung von {person} versiegelt</translation>
    </message>
    <message>
        <source>Evidence of what happened around it</source>
        <translation>Belege dessen, was rundherum geschah</translation>
    </message>
    <message>
        <source>Evidence, not proof. A good recording played into the microphone is not noticed: that is why the digits change each time.</source>
        <translation>Ein Hinweis, kein Beweis. Eine gute Aufnahme, ins Mikrofon gespielt, fällt nicht auf: Darum wechseln die Ziffern jedes Mal.</translation>
    </message>
    <message>
        <source>Evidence: {evidence}.</source>
        <translation>Nachweis: {evidence}.</translation>
    </message>
    <message>
        <source>Exact addresses</source>
        <translation>Genaue Adressen</translation>
    </message>
    <message>
        <source>Exact addresses, one a line</source>
        <translation>Genaue Adressen, eine je Zeile</translation>
    </message>
    <message>
        <source>Exactly these were said</source>
        <translation>Genau diese wurden gesagt</translation>
    </message>
    <message>
        <source>Expected</source>
        <translation>Erwartet</translation>
    </message>
    <message>
        <source>Expected last door</source>
        <translation>Erwartete letzte Tür</translation>
    </message>
    <message>
        <source>Expected {time}</source>
        <translation>Erwartet {time}</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>Abgelaufen</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>Gültig bis</translation>
    </message>
    <message>
        <source>Expires soon</source>
        <translation>Läuft bald ab</translation>
    </message>
    <message>
        <source>Exponent</source>
        <translation>Exponent</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>Export receipts</source>
        <translation>Belege exportieren</translation>
    </message>
    <message>
        <source>Export the entries of this filter</source>
        <translation>Einträge dieses Filters exportieren</translation>
    </message>
    <message>
        <source>Export the inventory</source>
        <translation>Bestandsliste exportieren</translation>
    </message>
    <message>
        <source>Exporting: {count:,} entries</source>
        <translation>Export läuft: {count:,} Einträge</translation>
    </message>
    <message>
        <source>Extra</source>
        <translation>Zusätzlich</translation>
    </message>
    <message>
        <source>FAILED</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>FALSE ALARMS</source>
        <translation>Fehlalarme</translation>
    </message>
    <message>
        <source>FEED</source>
        <translation>Feed</translation>
    </message>
    <message>
        <source>FILE</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>FIPS 140-2 or 140-3 [Level 1..4] [physical 1..4]; FIPS 201-2 or 201-3 [/ PIV]; GSA APL and a number.</source>
        <translation>FIPS 140-2 oder 140-3 [Level 1..4] [physical 1..4]; FIPS 201-2 oder 201-3 [/ PIV]; GSA APL und eine Nummer.</translation>
    </message>
    <message>
        <source>FIPS 140-2, FIPS 140-3 or GSA APL; or nothing: then nothing is declared.</source>
        <translation>FIPS 140-2, FIPS 140-3 oder GSA APL; oder nichts: Dann ist nichts angegeben.</translation>
    </message>
    <message>
        <source>FIPS DEMAND</source>
        <translation>FIPS-Vorgabe</translation>
    </message>
    <message>
        <source>FIPS demand</source>
        <translation>FIPS-Vorgabe</translation>
    </message>
    <message>
        <source>FIPS demand of every card</source>
        <translation>FIPS-Vorgabe für jede Karte</translation>
    </message>
    <message>
        <source>FIRMWARE</source>
        <translation>Firmware</translation>
    </message>
    <message>
        <source>FOR</source>
        <translation>Für</translation>
    </message>
    <message>
        <source>FOUND</source>
        <translation>Befund</translation>
    </message>
    <message>
        <source>FRAME</source>
        <translation>Frame</translation>
    </message>
    <message>
        <source>FRAMES</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>FROM</source>
        <translation>Herkunft</translation>
    </message>
    <message>
        <source>Face</source>
        <translation>Gesicht</translation>
    </message>
    <message>
        <source>Face, {where}</source>
        <translation>Gesicht, {where}</translation>
    </message>
    <message>
        <source>Faces ({count})</source>
        <translation>Gesichter ({count})</translation>
    </message>
    <message>
        <source>Facial image</source>
        <translation>Gesichtsbild</translation>
    </message>
    <message>
        <source>Facts of the strike, to be copied into your own letter; what to argue is yours. {law}: see its file for the authority above the platform.</source>
        <translation>Fakten des Vorgangs, zum Kopieren in Ihr eigenes Schreiben; die Argumente sind Ihre Sache. {law}: Welche Behörde über der Plattform steht, sagt die Gesetzesdatei.</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Fails until somebody links it</source>
        <translation>Scheitert, bis jemand es verknüpft</translation>
    </message>
    <message>
        <source>False match rate</source>
        <translation>Falschtrefferrate</translation>
    </message>
    <message>
        <source>False-alarm rate</source>
        <translation>Fehlalarmrate</translation>
    </message>
    <message>
        <source>Feeds</source>
        <translation>Feeds</translation>
    </message>
    <message>
        <source>Feeds, newest first</source>
        <translation>Feeds, neueste zuerst</translation>
    </message>
    <message>
        <source>Fetched, not taken yet</source>
        <translation>Abgeholt, noch nicht übernommen</translation>
    </message>
    <message>
        <source>Fetches the bundle and checks it on this machine, by the pinned policy.</source>
        <translation>Holt das Paket und prüft es auf diesem Rechner nach der festgelegten Richtlinie.</translation>
    </message>
    <message>
        <source>Fetches the entry&apos;s proof and checks it on this machine, by the pinned policy.</source>
        <translation>Holt den Beweis des Eintrags und prüft ihn auf diesem Rechner nach der festgelegten Richtlinie.</translation>
    </message>
    <message>
        <source>Fetching, decoding and judging.</source>
        <translation>Wird abgerufen, dekodiert und beurteilt.</translation>
    </message>
    <message>
        <source>Fewer than 9 people were searched: their scores justify no limit, so nobody is found (on a training site the score alone decides). Enrol more people, or use a card. </source>
        <translation>Weniger als 9 Personen wurden durchsucht: Ihre Werte begründen keine Grenze, daher wird niemand gefunden (in einer Übungsumgebung entscheidet der Wert allein). Erfassen Sie mehr Personen, oder nehmen Sie eine Karte. </translation>
    </message>
    <message>
        <source>Figures of the link</source>
        <translation>Zahlen der Verbindung</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Files and addresses of the batch</source>
        <translation>Dateien und Adressen des Stapels</translation>
    </message>
    <message>
        <source>Files and folders may also be dropped on the page. Nothing of them is kept but the result.</source>
        <translation>Dateien und Ordner lassen sich auch auf die Seite ziehen. Nichts davon wird aufbewahrt außer dem Ergebnis.</translation>
    </message>
    <message>
        <source>Files beside it</source>
        <translation>Dateien daneben</translation>
    </message>
    <message>
        <source>Files of the folder</source>
        <translation>Dateien des Ordners</translation>
    </message>
    <message>
        <source>Files…</source>
        <translation>Dateien…</translation>
    </message>
    <message>
        <source>Fills the draft with what it has.</source>
        <translation>Füllt den Entwurf mit dem, was der Vorgang hat.</translation>
    </message>
    <message>
        <source>Fills the order in; the burn itself is held, or typed.</source>
        <translation>Füllt den Auftrag aus; die Sperrung selbst lösen Sie durch Halten oder Eintippen aus.</translation>
    </message>
    <message>
        <source>Fills the reason in, and goes to the hold button.</source>
        <translation>Trägt den Grund ein und geht zum Halteknopf.</translation>
    </message>
    <message>
        <source>Filter doors   /</source>
        <translation>Türen filtern   /</translation>
    </message>
    <message>
        <source>Filter doors by id</source>
        <translation>Türen nach ID filtern</translation>
    </message>
    <message>
        <source>Filter frames   /</source>
        <translation>Frames filtern   /</translation>
    </message>
    <message>
        <source>Filter lines   /</source>
        <translation>Zeilen filtern   /</translation>
    </message>
    <message>
        <source>Filter targets   /</source>
        <translation>Ziele filtern   /</translation>
    </message>
    <message>
        <source>Filter the frames by id, group, status or uplink</source>
        <translation>Frames filtern nach ID, Gruppe, Status oder Uplink</translation>
    </message>
    <message>
        <source>Filter the lines by person, node, state, reader or reason</source>
        <translation>Zeilen filtern nach Person, Personen-ID, Stand, Lesegerät oder Grund</translation>
    </message>
    <message>
        <source>Filter the targets of the burn</source>
        <translation>Ziele der Sperrung filtern</translation>
    </message>
    <message>
        <source>Filter this page</source>
        <translation>Diese Seite filtern</translation>
    </message>
    <message>
        <source>Find a consensus seal</source>
        <translation>Konsens-Siegel suchen</translation>
    </message>
    <message>
        <source>Find a strike by its tracking token</source>
        <translation>Vorgang anhand seines Tracking-Tokens suchen</translation>
    </message>
    <message>
        <source>Find by consensus seal or by the knot&apos;s name</source>
        <translation>Suchen nach Konsens-Siegel oder Name des Knotens</translation>
    </message>
    <message>
        <source>Find it in the audit log</source>
        <translation>Im Audit-Protokoll suchen</translation>
    </message>
    <message>
        <source>Find the comparisons in the audit log</source>
        <translation>Vergleiche im Audit-Protokoll suchen</translation>
    </message>
    <message>
        <source>Find the decision in the audit log</source>
        <translation>Entscheidung im Audit-Protokoll suchen</translation>
    </message>
    <message>
        <source>Find the person</source>
        <translation>Person suchen</translation>
    </message>
    <message>
        <source>Find the person first. What the burn touches shows here before anything is written.</source>
        <translation>Suchen Sie zuerst die Person. Was die Sperrung berührt, steht hier, bevor etwas geschrieben wird.</translation>
    </message>
    <message>
        <source>Find the person who differs</source>
        <translation>Abweichende Person suchen</translation>
    </message>
    <message>
        <source>Find the scanned codes in the audit log</source>
        <translation>Gescannte Codes im Audit-Protokoll suchen</translation>
    </message>
    <message>
        <source>Find {id} in the audit log</source>
        <translation>{id} im Audit-Protokoll suchen</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>Befund</translation>
    </message>
    <message>
        <source>Fingerprints</source>
        <translation>Fingerabdrücke</translation>
    </message>
    <message>
        <source>Finish this card</source>
        <translation>Karte fertigstellen</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Finished cards of some days, as CSV.</source>
        <translation>Fertige Karten einiger Tage, als CSV.</translation>
    </message>
    <message>
        <source>Fired</source>
        <translation>Ausgelöst</translation>
    </message>
    <message>
        <source>First byte</source>
        <translation>Erstes Byte</translation>
    </message>
    <message>
        <source>First byte after</source>
        <translation>Erstes Byte nach</translation>
    </message>
    <message>
        <source>First certificate ends in</source>
        <translation>Erstes Zertifikat endet in</translation>
    </message>
    <message>
        <source>First day</source>
        <translation>Erster Tag</translation>
    </message>
    <message>
        <source>First page</source>
        <translation>Erste Seite</translation>
    </message>
    <message>
        <source>First valley, the left one while the fingers are up</source>
        <translation>Erste Fingermulde, die linke, wenn die Finger nach oben zeigen</translation>
    </message>
    <message>
        <source>Fit “{title}” to its texts</source>
        <translation>„{title}“ an die Texte anpassen</translation>
    </message>
    <message>
        <source>Five digits appear when the recording begins: the person reads them out.</source>
        <translation>Fünf Ziffern erscheinen, wenn die Aufnahme beginnt: Die Person liest sie vor.</translation>
    </message>
    <message>
        <source>Five samples of the same hand make one template.</source>
        <translation>Fünf Proben derselben Hand ergeben ein Template.</translation>
    </message>
    <message>
        <source>Fold the good checks</source>
        <translation>Gute Prüfungen einklappen</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Folder for the PIN mailers</source>
        <translation>Ordner für die PIN-Briefe</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Für</translation>
    </message>
    <message>
        <source>For a phone that scans it; Esc goes back.</source>
        <translation>Für ein Telefon, das ihn scannt; Esc geht zurück.</translation>
    </message>
    <message>
        <source>For arc_verify.py, or arc-console verify.</source>
        <translation>Für arc_verify.py oder arc-console verify.</translation>
    </message>
    <message>
        <source>For everybody, when you have seen to what happened. Other rows go with what they tell of.</source>
        <translation>Für alle, wenn Sie sich darum gekümmert haben. Andere Zeilen verschwinden mit dem, wovon sie berichten.</translation>
    </message>
    <message>
        <source>For everybody. Alarms of what lasts close with their fact.</source>
        <translation>Für alle. Alarme über Andauerndes schließen sich mit ihrem Sachverhalt.</translation>
    </message>
    <message>
        <source>For people. The signed bundle beside it is what proves it.</source>
        <translation>Für Menschen. Das signierte Paket daneben beweist ihn.</translation>
    </message>
    <message>
        <source>For you to fill in</source>
        <translation>Von Ihnen auszufüllen</translation>
    </message>
    <message>
        <source>For {seconds:.0f} s now. {sentence}</source>
        <translation>Seit {seconds:.0f} s. {sentence}</translation>
    </message>
    <message>
        <source>For {seconds} s, real readers without a key take their first one over the default key.</source>
        <translation>{seconds} s lang übernehmen echte Lesegeräte ohne Schlüssel ihren ersten über den Standardschlüssel.</translation>
    </message>
    <message>
        <source>Foreign</source>
        <translation>Fremd</translation>
    </message>
    <message>
        <source>Forked</source>
        <translation>Gegabelt</translation>
    </message>
    <message>
        <source>Form</source>
        <comment>shape</comment>
        <translation>Form</translation>
    </message>
    <message>
        <source>Form</source>
        <translation>Formular</translation>
    </message>
    <message>
        <source>Form of {platform}</source>
        <translation>Formular von {platform}</translation>
    </message>
    <message>
        <source>Form, filled in by a person</source>
        <translation>Formular, von einer Person ausgefüllt</translation>
    </message>
    <message>
        <source>Found by e-mail alone</source>
        <translation>Nur per E-Mail gefunden</translation>
    </message>
    <message>
        <source>Four eyes</source>
        <translation>Vier Augen</translation>
    </message>
    <message>
        <source>Four eyes ({count})</source>
        <translation>Vier Augen ({count})</translation>
    </message>
    <message>
        <source>Four eyes: one key asks, another one agrees</source>
        <translation>Vier-Augen-Prinzip: Ein Schlüssel fordert an, ein anderer stimmt zu</translation>
    </message>
    <message>
        <source>Frame</source>
        <translation>Frame</translation>
    </message>
    <message>
        <source>Frame duplication</source>
        <translation>Bildverdopplung</translation>
    </message>
    <message>
        <source>Frame refused</source>
        <translation>Frame abgelehnt</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>Frames</translation>
    </message>
    <message>
        <source>Frames and handshakes show that moment; what is named “now” shows now.</source>
        <translation>Frames und Handshakes zeigen jenen Moment; was „jetzt“ im Namen trägt, zeigt den jetzigen.</translation>
    </message>
    <message>
        <source>Frames and their latency, burns with the time to the last door, alarms with owner and next step, and who acted: on paper (PDF), from what the service has on record.</source>
        <translation>Frames und ihre Latenz, Sperrungen mit der Zeit bis zur letzten Tür, Alarme mit Zuständigem und nächstem Schritt, und wer handelte: auf Papier (PDF), aus den Aufzeichnungen des Dienstes.</translation>
    </message>
    <message>
        <source>Frames of level sovereign that are operational now (active_sovereign_nodes).</source>
        <translation>Frames der Stufe Sovereign, die jetzt in Betrieb sind (active_sovereign_nodes).</translation>
    </message>
    <message>
        <source>Frames operational</source>
        <translation>Frames in Betrieb</translation>
    </message>
    <message>
        <source>Frames that answered</source>
        <translation>Frames, die antworteten</translation>
    </message>
    <message>
        <source>Frames that answered{at}</source>
        <translation>Antwortende Frames{at}</translation>
    </message>
    <message>
        <source>Frames: {counts}</source>
        <translation>Frames: {counts}</translation>
    </message>
    <message>
        <source>Frames: {data_age}</source>
        <translation>Frames: {data_age}</translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation>Standbild</translation>
    </message>
    <message>
        <source>Fri</source>
        <translation>Fr</translation>
    </message>
    <message>
        <source>From</source>
        <comment>time</comment>
        <translation>Von</translation>
    </message>
    <message>
        <source>From the call to the proof. The site&apos;s deadline is {time}.</source>
        <translation>Vom Aufruf bis zum Beweis. Die Frist des Standorts ist {time}.</translation>
    </message>
    <message>
        <source>From the card to the decision, at epoch {epoch}</source>
        <translation>Von der Karte bis zur Entscheidung, bei Epoche {epoch}</translation>
    </message>
    <message>
        <source>From the next card on, no attestation of it counts: a demand that needs one is refused. Cards that were written stay as they are.</source>
        <translation>Ab der nächsten Karte gilt keine seiner Attestierungen: Eine Vorgabe, die eine braucht, wird abgelehnt. Geschriebene Karten bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>From the next card on, what its 1 authority signs of a card counts as proof of its make and its FIPS mark. Cards that were written stay as they are.</source>
        <translation>Ab der nächsten Karte gilt, was seine 1 Zertifizierungsstelle über eine Karte signiert, als Beweis ihrer Bauart und ihrer FIPS-Kennzeichnung. Geschriebene Karten bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>From the next card on, what its {count} authorities sign of a card counts as proof of its make and its FIPS mark. Cards that were written stay as they are.</source>
        <translation>Ab der nächsten Karte gilt, was seine {count} Zertifizierungsstellen über eine Karte signieren, als Beweis ihrer Bauart und ihrer FIPS-Kennzeichnung. Geschriebene Karten bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>From then on both secrets are taken, so that no discharge is lost. The new one is shown once after this: give it to HR, and end the old one when HR signs with it.</source>
        <translation>Von da an gelten beide Geheimnisse, damit kein Austritt verloren geht. Das neue wird danach einmal angezeigt: Geben Sie es der Personalabteilung, und beenden Sie das alte, sobald sie mit dem neuen signiert.</translation>
    </message>
    <message>
        <source>From then on keys and administrators are made by two persons, and a desk is not lost with one card.</source>
        <translation>Von da an werden Schlüssel und Administratoren von zwei Personen angelegt, und mit einer Karte geht kein Arbeitsplatz verloren.</translation>
    </message>
    <message>
        <source>Front and back of every finished card, in the order of the list.</source>
        <translation>Vorder- und Rückseite jeder fertigen Karte, in der Reihenfolge der Liste.</translation>
    </message>
    <message>
        <source>Full window</source>
        <translation>Ganzes Fenster</translation>
    </message>
    <message>
        <source>GOOD MS</source>
        <translation>Ref. ms</translation>
    </message>
    <message>
        <source>GOOD TO KNOW</source>
        <translation>Gut zu wissen</translation>
    </message>
    <message>
        <source>GROUP</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>Genuine</source>
        <translation>Echt</translation>
    </message>
    <message>
        <source>Give an address or drop a file.</source>
        <translation>Geben Sie eine Adresse an, oder ziehen Sie eine Datei hierher.</translation>
    </message>
    <message>
        <source>Give at least one key.</source>
        <translation>Geben Sie mindestens einen Schlüssel an.</translation>
    </message>
    <message>
        <source>Give it to the terminal within {minutes} minutes, and hand in here what that signs.</source>
        <translation>Geben Sie es dem Terminal innerhalb von {minutes} Minuten, und reichen Sie hier ein, was dieses signiert.</translation>
    </message>
    <message>
        <source>Give one the tag drill (Settings, People), and the doors and directories that a drill may reach.</source>
        <translation>Geben Sie einer das Tag „drill“ („Einstellungen“, „Personen“), ebenso den Türen und Verzeichnissen, die eine Übung erreichen darf.</translation>
    </message>
    <message>
        <source>Give out the PIN</source>
        <translation>Die PIN ausgeben</translation>
    </message>
    <message>
        <source>Give the new secret once more. It is tried first; then it alone is taken, and calls that are signed with the old one are refused.</source>
        <translation>Geben Sie das neue Geheimnis noch einmal ein. Zuerst wird es erprobt; danach gilt nur noch dieses, und mit dem alten signierte Aufrufe werden abgelehnt.</translation>
    </message>
    <message>
        <source>Give the operator a name of 1 to 200 characters.</source>
        <translation>Geben Sie dem Bediener einen Namen mit 1 bis 200 Zeichen.</translation>
    </message>
    <message>
        <source>Give the person a name of 1 to 200 characters.</source>
        <translation>Geben Sie der Person einen Namen mit 1 bis 200 Zeichen.</translation>
    </message>
    <message>
        <source>Given</source>
        <translation>Erteilt</translation>
    </message>
    <message>
        <source>Given at ({zone})</source>
        <translation>Erteilt am ({zone})</translation>
    </message>
    <message>
        <source>Given out</source>
        <translation>Ausgegeben</translation>
    </message>
    <message>
        <source>Given {time}.</source>
        <translation>Angegeben {time}.</translation>
    </message>
    <message>
        <source>Gives the card&apos;s GUID to the doors of the ticked clusters.</source>
        <translation>Gibt die GUID der Karte an die Türen der angekreuzten Türgruppen.</translation>
    </message>
    <message>
        <source>Gives the target up: it is no longer tried, and your reason stays in the audit log.</source>
        <translation>Gibt das Ziel auf: Es wird nicht mehr versucht, und Ihr Grund bleibt im Audit-Protokoll.</translation>
    </message>
    <message>
        <source>Global revocation</source>
        <translation>Globaler Widerruf</translation>
    </message>
    <message>
        <source>Go nearer to the microphone or to a quieter place, then speak again.</source>
        <translation>Gehen Sie näher an das Mikrofon oder an einen ruhigeren Ort, und sprechen Sie noch einmal.</translation>
    </message>
    <message>
        <source>Go nearer to the microphone, away from bare walls, then speak again.</source>
        <translation>Gehen Sie näher an das Mikrofon, weg von kahlen Wänden, und sprechen Sie noch einmal.</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Go on to burn the chosen one</source>
        <translation>Weiter zur Sperrung der gewählten Person</translation>
    </message>
    <message>
        <source>Go on to the hold</source>
        <translation>Weiter zum Halten</translation>
    </message>
    <message>
        <source>Go to a time</source>
        <translation>Zu einem Zeitpunkt</translation>
    </message>
    <message>
        <source>Go to a time: 2026-01-31 14:32, or 14:32:07 for today</source>
        <translation>Zu einem Zeitpunkt: 2026-01-31 14:32, oder 14:32:07 für heute</translation>
    </message>
    <message>
        <source>Go to the attestation</source>
        <translation>Zur Attestierung</translation>
    </message>
    <message>
        <source>Go to the chart</source>
        <translation>Zum Diagramm</translation>
    </message>
    <message>
        <source>Go to the chosen strike</source>
        <translation>Zum gewählten Vorgang</translation>
    </message>
    <message>
        <source>Go to the consents</source>
        <translation>Zu den Einwilligungen</translation>
    </message>
    <message>
        <source>Go to the detectors</source>
        <translation>Zu den Detektoren</translation>
    </message>
    <message>
        <source>Go to the draft</source>
        <translation>Zum Entwurf</translation>
    </message>
    <message>
        <source>Go to the elements</source>
        <translation>Zu den Elementen</translation>
    </message>
    <message>
        <source>Go to the frames</source>
        <translation>Zu den Frames</translation>
    </message>
    <message>
        <source>Go to the held discharges</source>
        <translation>Zu den gehaltenen Austritten</translation>
    </message>
    <message>
        <source>Go to the list of burns</source>
        <translation>Zur Liste der Sperrungen</translation>
    </message>
    <message>
        <source>Go to the list of people</source>
        <translation>Zur Liste der Personen</translation>
    </message>
    <message>
        <source>Go to the list of scans</source>
        <translation>Zur Liste der Scans</translation>
    </message>
    <message>
        <source>Go to the notices</source>
        <translation>Zu den Meldungen</translation>
    </message>
    <message>
        <source>Go to the pictures</source>
        <translation>Zu den Bildern</translation>
    </message>
    <message>
        <source>Go to the places</source>
        <translation>Zu den Stellen</translation>
    </message>
    <message>
        <source>Go to the scanner&apos;s field</source>
        <translation>Zum Feld des Scanners</translation>
    </message>
    <message>
        <source>Go to the statements</source>
        <translation>Zu den Aussagen</translation>
    </message>
    <message>
        <source>Go to the table</source>
        <translation>Zur Tabelle</translation>
    </message>
    <message>
        <source>Go to the tiles</source>
        <translation>Zu den Kacheln</translation>
    </message>
    <message>
        <source>Go to the timeline</source>
        <translation>Zur Zeitleiste</translation>
    </message>
    <message>
        <source>Go to the witnesses</source>
        <translation>Zu den Zeugen</translation>
    </message>
    <message>
        <source>Go to time</source>
        <translation>Zur Zeit</translation>
    </message>
    <message>
        <source>Go to what needs you</source>
        <translation>Zu dem, was Sie braucht</translation>
    </message>
    <message>
        <source>Go to what the law asks for</source>
        <translation>Zu dem, was das Gesetz verlangt</translation>
    </message>
    <message>
        <source>Go to what was written</source>
        <translation>Zu dem, was geschrieben wurde</translation>
    </message>
    <message>
        <source>Go to who is at the doors</source>
        <translation>Zu denen an den Türen</translation>
    </message>
    <message>
        <source>Go to {title}</source>
        <translation>Zu {title}</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Goal of handshakes</source>
        <translation>Ziel für Handshakes</translation>
    </message>
    <message>
        <source>Goal of handshakes in milliseconds, 0 for none</source>
        <translation>Ziel für Handshakes in Millisekunden, 0 für keines</translation>
    </message>
    <message>
        <source>Goal under {goal} % kept</source>
        <translation>Ziel unter {goal} % gehalten</translation>
    </message>
    <message>
        <source>Goal {goal:.1f} s</source>
        <translation>Ziel {goal:.1f} s</translation>
    </message>
    <message>
        <source>Goal {goal:.1f} s kept by {count} of {total}</source>
        <translation>Ziel {goal:.1f} s von {count} von {total} eingehalten</translation>
    </message>
    <message>
        <source>Goal {goal:g} {unit}</source>
        <translation>Ziel {goal:g} {unit}</translation>
    </message>
    <message>
        <source>Goal {goal:g} {unit} kept</source>
        <translation>Ziel {goal:g} {unit} gehalten</translation>
    </message>
    <message>
        <source>Goal {goal:g} {unit} missed {missed} of {of} {each}</source>
        <translation>Ziel {goal:g} {unit} verfehlt, {missed} von {of} {each}</translation>
    </message>
    <message>
        <source>Goal {goal:g} {unit}: nothing measured</source>
        <translation>Ziel {goal:g} {unit}: nichts gemessen</translation>
    </message>
    <message>
        <source>Goal {goal_ms:g} ms</source>
        <translation>Ziel {goal_ms:g} ms</translation>
    </message>
    <message>
        <source>Goal {goal_ms:g} ms: the slowest frame missed it in {missed} of {measured} measured steps.</source>
        <translation>Ziel {goal_ms:g} ms: Das langsamste Frame verfehlte es in {missed} von {measured} gemessenen Schritten.</translation>
    </message>
    <message>
        <source>Goal {goal} % missed: {share} %</source>
        <translation>Ziel {goal} % verfehlt: {share} %</translation>
    </message>
    <message>
        <source>Goal {time}</source>
        <translation>Ziel {time}</translation>
    </message>
    <message>
        <source>Goes to</source>
        <translation>Geht an</translation>
    </message>
    <message>
        <source>Goes to the hold that ends one lost card. Its person is not burned.</source>
        <translation>Führt zum Halteknopf, der eine verlorene Karte beendet. Ihre Person wird nicht gesperrt.</translation>
    </message>
    <message>
        <source>Goes to what is missing, at last to the hold button. It never burns by itself.</source>
        <translation>Führt zu dem, was fehlt, zuletzt zum Halteknopf. Sperrt nie von selbst.</translation>
    </message>
    <message>
        <source>Goes to: {recipient}</source>
        <translation>Geht an: {recipient}</translation>
    </message>
    <message>
        <source>Gone</source>
        <translation>Nicht mehr da</translation>
    </message>
    <message>
        <source>Good</source>
        <translation>Gut</translation>
    </message>
    <message>
        <source>Grant</source>
        <translation>Berechtigung</translation>
    </message>
    <message>
        <source>Grant access</source>
        <translation>Zugang geben</translation>
    </message>
    <message>
        <source>Grant at {cluster}</source>
        <translation>Berechtigung für {cluster}</translation>
    </message>
    <message>
        <source>Granted</source>
        <translation>Zugelassen</translation>
    </message>
    <message>
        <source>Granted at {cluster}</source>
        <translation>Berechtigt für {cluster}</translation>
    </message>
    <message>
        <source>Grants</source>
        <translation>Berechtigungen</translation>
    </message>
    <message>
        <source>Grants the profile at the cluster until its time, and tells of each door.</source>
        <translation>Lässt das Profil an der Türgruppe bis zum Ablauf gelten und meldet den Stand jeder Tür.</translation>
    </message>
    <message>
        <source>Grants what a profile of the person names, for a time.</source>
        <translation>Berechtigt auf Zeit zu dem, was ein Profil der Person nennt.</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Raster</translation>
    </message>
    <message>
        <source>Grid or list</source>
        <translation>Raster oder Liste</translation>
    </message>
    <message>
        <source>Group delay</source>
        <translation>Gruppenlaufzeit</translation>
    </message>
    <message>
        <source>HALF WITHIN</source>
        <translation>Hälfte binnen</translation>
    </message>
    <message>
        <source>HAS A CARD</source>
        <translation>Hat Karte</translation>
    </message>
    <message>
        <source>HEADER</source>
        <translation>Header</translation>
    </message>
    <message>
        <source>HEARD</source>
        <translation>Gehört</translation>
    </message>
    <message>
        <source>HISTORY, LOG SCALE</source>
        <translation>Verlauf, logarithmisch</translation>
    </message>
    <message>
        <source>HMAC-SHA256 over body and time, in BambooHR&apos;s own two headers.</source>
        <translation>HMAC-SHA256 über Inhalt und Zeit, in den zwei eigenen Headern von BambooHR.</translation>
    </message>
    <message>
        <source>HMAC-SHA256 over id, time and body. The best of the four: take it where HR offers it.</source>
        <translation>HMAC-SHA256 über ID, Zeit und Inhalt. Das beste der vier Verfahren: Nehmen Sie es, wo das Personalsystem es bietet.</translation>
    </message>
    <message>
        <source>HR brake</source>
        <translation>Bremse</translation>
    </message>
    <message>
        <source>HR calls POST {address} with EMPLOYEE_DISCHARGE and employee_id.</source>
        <translation>Das Personalsystem ruft POST {address} mit EMPLOYEE_DISCHARGE und employee_id auf.</translation>
    </message>
    <message>
        <source>HR does not employ them, and the node still opens doors.</source>
        <translation>Nicht mehr beschäftigt, und die Personen-ID öffnet noch Türen.</translation>
    </message>
    <message>
        <source>HR employs them, and every node of theirs is burned.</source>
        <translation>Beschäftigt, und jede Personen-ID ist gesperrt.</translation>
    </message>
    <message>
        <source>HR events</source>
        <translation>Personalereignisse</translation>
    </message>
    <message>
        <source>HR events need Citadel clearance.</source>
        <translation>Personalereignisse erfordern die Freigabestufe Citadel.</translation>
    </message>
    <message>
        <source>HR sources</source>
        <translation>Personalquellen</translation>
    </message>
    <message>
        <source>HR system</source>
        <translation>HR-System</translation>
    </message>
    <message>
        <source>HR system {source}</source>
        <translation>HR-System {source}</translation>
    </message>
    <message>
        <source>Half written</source>
        <translation>Halb geschrieben</translation>
    </message>
    <message>
        <source>Half written. The same person and Write finish it.</source>
        <translation>Halb geschrieben. Dieselbe Person und „Karte schreiben“ stellen sie fertig.</translation>
    </message>
    <message>
        <source>Half written: {provision}, for {person}</source>
        <translation>Halb geschrieben: {provision}, für {person}</translation>
    </message>
    <message>
        <source>Hand in the terminal&apos;s acknowledgement</source>
        <translation>Bestätigung des Terminals einreichen</translation>
    </message>
    <message>
        <source>Hand it in</source>
        <translation>Einreichen</translation>
    </message>
    <message>
        <source>Hand these out</source>
        <translation>Auszugeben</translation>
    </message>
    <message>
        <source>Handshake</source>
        <translation>Handshake</translation>
    </message>
    <message>
        <source>Handshake history</source>
        <translation>Handshake-Verlauf</translation>
    </message>
    <message>
        <source>Handshake latency</source>
        <translation>Handshake-Latenz</translation>
    </message>
    <message>
        <source>Handshake latency of all frames</source>
        <translation>Handshake-Latenz aller Frames</translation>
    </message>
    <message>
        <source>Handshake latency of the chosen frame</source>
        <translation>Handshake-Latenz des gewählten Frames</translation>
    </message>
    <message>
        <source>Handshake p50</source>
        <translation>Handshake p50</translation>
    </message>
    <message>
        <source>Handshake p99</source>
        <translation>Handshake p99</translation>
    </message>
    <message>
        <source>Handshake p99{at}</source>
        <translation>Handshake p99{at}</translation>
    </message>
    <message>
        <source>Handshakes with the server frames</source>
        <translation>Handshakes mit den Server-Frames</translation>
    </message>
    <message>
        <source>Handshakes; all cells have one logarithmic scale.</source>
        <translation>Handshakes; alle Zellen haben eine logarithmische Skala.</translation>
    </message>
    <message>
        <source>Happened</source>
        <translation>Geschehen</translation>
    </message>
    <message>
        <source>Has no key</source>
        <translation>Ohne Schlüssel</translation>
    </message>
    <message>
        <source>Hashes of all objects, signed; the card may lack it.</source>
        <translation>Hashwerte aller Objekte, signiert; die Karte hat es vielleicht nicht.</translation>
    </message>
    <message>
        <source>Have HR post everybody whom it employs each night (POST /v1/citadel/lifecycle/roster). A source whose events stopped looks like a quiet day; the roster tells.</source>
        <translation>Lassen Sie das Personalsystem jede Nacht alle Beschäftigten senden (POST /v1/citadel/lifecycle/roster). Eine Quelle, deren Ereignisse ausbleiben, sieht aus wie ein ruhiger Tag; die Personalliste zeigt es.</translation>
    </message>
    <message>
        <source>Heatmap</source>
        <translation>Heatmap</translation>
    </message>
    <message>
        <source>Heatmap over the source</source>
        <translation>Heatmap über der Quelle</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Held by hand</source>
        <translation>Von Hand gehalten</translation>
    </message>
    <message>
        <source>Held by the brake</source>
        <translation>Gebremst</translation>
    </message>
    <message>
        <source>Held by the brake on discharges</source>
        <translation>Von der Bremse für Austritte gehalten</translation>
    </message>
    <message>
        <source>Held by the brake: contained</source>
        <translation>Von der Bremse gehalten: festgesetzt</translation>
    </message>
    <message>
        <source>Held by the brake: queued</source>
        <translation>Von der Bremse gehalten: eingereiht</translation>
    </message>
    <message>
        <source>Here {person} is matched no more, by palm or stylized template, until enrolled anew. {alone} Cards and grants stay as they are. What the audit log says of it stays.</source>
        <translation>Hier wird {person} bis zu einer neuen Erfassung nicht mehr erkannt, weder an der Handfläche noch an einem stilisierten Template. {alone} Karten und Berechtigungen bleiben, wie sie sind. Was das Audit-Protokoll darüber sagt, bleibt.</translation>
    </message>
    <message>
        <source>Hexadecimal; three keys: ENC, MAC, DEK</source>
        <translation>Hexadezimal; drei Schlüssel: ENC, MAC, DEK</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Historical</source>
        <translation>Historisch</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>History that the tiles choose</source>
        <translation>Verlauf, den die Kacheln wählen</translation>
    </message>
    <message>
        <source>History, newest first</source>
        <translation>Verlauf, Neuestes zuerst</translation>
    </message>
    <message>
        <source>Hold 1.5 s with the mouse or Space; letting go aborts. A burn is not taken back by itself.</source>
        <translation>1,5 s mit Maus oder Leertaste halten; Loslassen bricht ab. Eine Sperrung wird nicht von selbst zurückgenommen.</translation>
    </message>
    <message>
        <source>Hold the mouse button or Space for {hold_ms:g} seconds; let go to abort.</source>
        <translation>Maustaste oder Leertaste {hold_ms:g} Sekunden halten; loslassen bricht ab.</translation>
    </message>
    <message>
        <source>Hold to burn</source>
        <translation>Zum Sperren halten</translation>
    </message>
    <message>
        <source>Hold to burn the list</source>
        <translation>Zum Sperren der Liste halten</translation>
    </message>
    <message>
        <source>Hold to burn {person}</source>
        <translation>Zum Sperren von {person} halten</translation>
    </message>
    <message>
        <source>Hold to burn {what}</source>
        <translation>Zum Sperren von {what} halten</translation>
    </message>
    <message>
        <source>Hold to revoke the card</source>
        <translation>Zum Widerrufen der Karte gedrückt halten</translation>
    </message>
    <message>
        <source>Hold to revoke the card {card}</source>
        <translation>Zum Widerrufen der Karte {card} gedrückt halten</translation>
    </message>
    <message>
        <source>Hold to un-burn {what}</source>
        <translation>Zum Entsperren von {what} halten</translation>
    </message>
    <message>
        <source>Holder</source>
        <translation>Inhaber</translation>
    </message>
    <message>
        <source>Holder {holder}</source>
        <translation>Inhaber {holder}</translation>
    </message>
    <message>
        <source>Holder {holder} is burned</source>
        <translation>Inhaber {holder} ist gesperrt</translation>
    </message>
    <message>
        <source>Holder {holder} is contained</source>
        <translation>Inhaber {holder} ist festgesetzt</translation>
    </message>
    <message>
        <source>Holds</source>
        <translation>Gilt</translation>
    </message>
    <message>
        <source>Holds a card</source>
        <translation>Mit Karte</translation>
    </message>
    <message>
        <source>Holds another issuer&apos;s certificates</source>
        <translation>Enthält Zertifikate eines anderen Ausstellers</translation>
    </message>
    <message>
        <source>Holds another issuer&apos;s certificates. Take a blank card.</source>
        <translation>Enthält Zertifikate eines anderen Ausstellers. Nehmen Sie eine leere Karte.</translation>
    </message>
    <message>
        <source>Holds for</source>
        <translation>Gilt für</translation>
    </message>
    <message>
        <source>Holds the person&apos;s badge to the chosen door; the door decides.</source>
        <translation>Hält den Ausweis der Person an die gewählte Tür; die Tür entscheidet.</translation>
    </message>
    <message>
        <source>Holds the subject&apos;s badge to the simulated reader; the door decides as any door does.</source>
        <translation>Hält den Ausweis der Person an das simulierte Lesegerät; die Tür entscheidet wie jede andere.</translation>
    </message>
    <message>
        <source>Host and port</source>
        <translation>Host und Port</translation>
    </message>
    <message>
        <source>Hour around</source>
        <translation>Stunde um den Moment</translation>
    </message>
    <message>
        <source>Hour around {clock}</source>
        <translation>Stunde um {clock}</translation>
    </message>
    <message>
        <source>Hour before</source>
        <translation>Stunde davor</translation>
    </message>
    <message>
        <source>Hour to {clock}</source>
        <translation>Stunde bis {clock}</translation>
    </message>
    <message>
        <source>How far back</source>
        <translation>Wie weit zurück</translation>
    </message>
    <message>
        <source>How far to trust it</source>
        <translation>Wie weit ist ihm zu trauen</translation>
    </message>
    <message>
        <source>How it stood at {time}</source>
        <translation>Der Stand um {time}</translation>
    </message>
    <message>
        <source>How long the doors may open before the grant is renewed</source>
        <translation>Wie lange die Türen öffnen dürfen, bevor die Berechtigung erneuert wird</translation>
    </message>
    <message>
        <source>How long the grant holds</source>
        <translation>Wie lange die Berechtigung gilt</translation>
    </message>
    <message>
        <source>How long to contain: seconds, minutes, hours or days, at most 7 days</source>
        <translation>Dauer der Festsetzung: Sekunden, Minuten, Stunden oder Tage, höchstens 7 Tage</translation>
    </message>
    <message>
        <source>How often authentic pictures score as high</source>
        <translation>Wie oft authentische Bilder ebenso hohe Werte erreichen</translation>
    </message>
    <message>
        <source>How the service is reached; press for the figures</source>
        <translation>Wie der Dienst erreicht wird; drücken für die Zahlen</translation>
    </message>
    <message>
        <source>How to withdraw</source>
        <translation>Wie zurückziehen</translation>
    </message>
    <message>
        <source>I have kept it</source>
        <translation>Ich habe es verwahrt</translation>
    </message>
    <message>
        <source>I have kept it: close</source>
        <translation>Ich habe es verwahrt: schließen</translation>
    </message>
    <message>
        <source>ID</source>
        <translation>ID</translation>
    </message>
    <message>
        <source>IDENTIFICATION CARD</source>
        <translation>DIENSTAUSWEIS</translation>
    </message>
    <message>
        <source>IN TIME</source>
        <translation>Rechtzeitig</translation>
    </message>
    <message>
        <source>INSTRUCTION</source>
        <translation>Instruktion</translation>
    </message>
    <message>
        <source>INTENT</source>
        <translation>Zweck</translation>
    </message>
    <message>
        <source>ISSUED</source>
        <translation>Ausgestellt</translation>
    </message>
    <message>
        <source>Id used again</source>
        <translation>ID mehrfach verwendet</translation>
    </message>
    <message>
        <source>Identify</source>
        <translation>Erkennen</translation>
    </message>
    <message>
        <source>Identify the card</source>
        <translation>Karte erkennen</translation>
    </message>
    <message>
        <source>Identity</source>
        <translation>Identität</translation>
    </message>
    <message>
        <source>Identity check at the door</source>
        <translation>Identitätsprüfung an der Tür</translation>
    </message>
    <message>
        <source>Identity, now</source>
        <translation>Identität, jetzt</translation>
    </message>
    <message>
        <source>Ids</source>
        <translation>IDs</translation>
    </message>
    <message>
        <source>If the person has an account there, name it at the person (Settings) and look again (Ctrl+R).</source>
        <translation>Hat die Person dort ein Konto, tragen Sie es bei der Person ein („Einstellungen“), und sehen Sie erneut nach (Strg+R).</translation>
    </message>
    <message>
        <source>Ignored</source>
        <translation>Übergangen</translation>
    </message>
    <message>
        <source>Impersonation</source>
        <translation>Identitätstäuschung</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Importieren</translation>
    </message>
    <message>
        <source>Import a list</source>
        <translation>Liste importieren</translation>
    </message>
    <message>
        <source>Import a list of elements</source>
        <translation>Liste von Elementen importieren</translation>
    </message>
    <message>
        <source>Import the other {count:,}</source>
        <translation>Übrige {count:,} importieren</translation>
    </message>
    <message>
        <source>Import {count:,}</source>
        <translation>{count:,} importieren</translation>
    </message>
    <message>
        <source>Import {name}</source>
        <translation>{name} importieren</translation>
    </message>
    <message>
        <source>In 30 days</source>
        <translation>In 30 Tagen</translation>
    </message>
    <message>
        <source>In 90 days</source>
        <translation>In 90 Tagen</translation>
    </message>
    <message>
        <source>In a wide window it stands beside the person; Enter opens another one.</source>
        <translation>In einem breiten Fenster steht sie neben der Person; Eingabe öffnet eine andere.</translation>
    </message>
    <message>
        <source>In a year</source>
        <translation>In einem Jahr</translation>
    </message>
    <message>
        <source>In its time</source>
        <translation>Im zeitlichen Verlauf</translation>
    </message>
    <message>
        <source>In place of what the person had, palm or stylized. Needs Citadel clearance.</source>
        <translation>Ersetzt, was die Person hatte, Handfläche oder stilisiert. Erfordert die Freigabestufe Citadel.</translation>
    </message>
    <message>
        <source>In stock</source>
        <translation>Im Bestand</translation>
    </message>
    <message>
        <source>In the audit log</source>
        <translation>Im Audit-Protokoll</translation>
    </message>
    <message>
        <source>In the capacity of</source>
        <translation>In der Eigenschaft als</translation>
    </message>
    <message>
        <source>In the last minute, of any cause.</source>
        <translation>In der letzten Minute, gleich aus welchem Grund.</translation>
    </message>
    <message>
        <source>In the middle</source>
        <translation>In der Mitte</translation>
    </message>
    <message>
        <source>In the reader: {other}. Torn: {uid}. Put the torn one back, or set it aside.</source>
        <translation>Im Lesegerät: {other}. Halb geschrieben: {uid}. Legen Sie diese wieder ein oder stellen Sie sie zurück.</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>In Gebrauch</translation>
    </message>
    <message>
        <source>In use since {time}.</source>
        <translation>In Gebrauch seit {time}.</translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation>Eingang</translation>
    </message>
    <message>
        <source>Inconclusive</source>
        <translation>Unentschieden</translation>
    </message>
    <message>
        <source>Infrastructure</source>
        <translation>Infrastruktur</translation>
    </message>
    <message>
        <source>Insert</source>
        <translation>Einlegen</translation>
    </message>
    <message>
        <source>Insert a training card</source>
        <translation>Übungskarte einlegen</translation>
    </message>
    <message>
        <source>Inside against around it, in deviations: {known}.</source>
        <translation>Innen gegenüber der Umgebung, in Abweichungen: {known}.</translation>
    </message>
    <message>
        <source>Inside?</source>
        <translation>Drinnen?</translation>
    </message>
    <message>
        <source>Intent</source>
        <translation>Zweck</translation>
    </message>
    <message>
        <source>Invalid</source>
        <translation>Ungültig</translation>
    </message>
    <message>
        <source>Inventory</source>
        <translation>Bestandsliste</translation>
    </message>
    <message>
        <source>Iris images</source>
        <translation>Irisbilder</translation>
    </message>
    <message>
        <source>Is locked</source>
        <translation>Wird gesperrt</translation>
    </message>
    <message>
        <source>Issue</source>
        <translation>Ausstellen</translation>
    </message>
    <message>
        <source>Issue a declaration</source>
        <translation>Erklärung ausstellen</translation>
    </message>
    <message>
        <source>Issue and hold</source>
        <translation>Ausstellen und halten</translation>
    </message>
    <message>
        <source>Issue it</source>
        <translation>Ausstellen</translation>
    </message>
    <message>
        <source>Issue it, though 1 is missing?</source>
        <translation>Trotz 1 fehlender Angabe ausstellen?</translation>
    </message>
    <message>
        <source>Issue it, though {count} are missing?</source>
        <translation>Trotz {count} fehlender Angaben ausstellen?</translation>
    </message>
    <message>
        <source>Issue the declaration</source>
        <translation>Erklärung ausstellen</translation>
    </message>
    <message>
        <source>Issue to 1 platform</source>
        <translation>An 1 Plattform ausstellen</translation>
    </message>
    <message>
        <source>Issue to {count} platforms</source>
        <translation>An {count} Plattformen ausstellen</translation>
    </message>
    <message>
        <source>Issued</source>
        <translation>Ausgestellt</translation>
    </message>
    <message>
        <source>Issued {issued} · Expires {expires}</source>
        <translation>Ausgestellt {issued} · Gültig bis {expires}</translation>
    </message>
    <message>
        <source>Issuer</source>
        <translation>Aussteller</translation>
    </message>
    <message>
        <source>Issuer signature</source>
        <translation>Ausstellersignatur</translation>
    </message>
    <message>
        <source>It acted</source>
        <translation>Sie hat gehandelt</translation>
    </message>
    <message>
        <source>It asks for</source>
        <translation>Es verlangt</translation>
    </message>
    <message>
        <source>It can be tried again in {seconds:.0f} s.</source>
        <translation>In {seconds:.0f} s ist ein neuer Versuch möglich.</translation>
    </message>
    <message>
        <source>It can let nobody in by itself: no burn waits for it.</source>
        <translation>Es kann von sich aus niemanden einlassen: Keine Sperrung wartet darauf.</translation>
    </message>
    <message>
        <source>It cannot do this by itself: end the access there by hand, then close it with what was done.</source>
        <translation>Das Ziel kann das nicht selbst: Beenden Sie den Zugang dort von Hand, und schließen Sie es dann mit dem, was getan wurde.</translation>
    </message>
    <message>
        <source>It cannot sign: bare templates are taken, for doors alone, never as a live check</source>
        <translation>Es kann nicht signieren: Bloße Templates werden angenommen, nur für Türen, nie als Live-Prüfung</translation>
    </message>
    <message>
        <source>It confirmed that it has it</source>
        <translation>Sie hat den Eingang bestätigt</translation>
    </message>
    <message>
        <source>It could not be kept as {aside}: {error}</source>
        <translation>Sie konnte nicht als {aside} aufgehoben werden: {error}</translation>
    </message>
    <message>
        <source>It covers the face {tag}.</source>
        <translation>Verdeckt das Gesicht {tag}.</translation>
    </message>
    <message>
        <source>It did not say why.</source>
        <translation>Er hat keinen Grund genannt.</translation>
    </message>
    <message>
        <source>It expires</source>
        <translation>Läuft ab</translation>
    </message>
    <message>
        <source>It gets a new secret, which is shown once. Whoever calls with the old one must change to the new one in time. The label, the clearance and the webhook secret stay.</source>
        <translation>Er erhält ein neues Geheimnis, das einmal gezeigt wird. Wer mit dem alten aufruft, muss rechtzeitig zum neuen wechseln. Bezeichnung, Freigabestufe und Webhook-Geheimnis bleiben.</translation>
    </message>
    <message>
        <source>It gets a secret key of its own: templates of two registries cannot be linked by score while their keys are secret. Terminals search exactly one.</source>
        <translation>Es erhält einen eigenen geheimen Schlüssel: Templates zweier Register lassen sich nicht über ihre Werte verknüpfen, solange deren Schlüssel geheim sind. Jedes Terminal durchsucht genau eines.</translation>
    </message>
    <message>
        <source>It goes on calling for alarms. Click it to open the window; Quit in its menu ends it.</source>
        <translation>Sie ruft weiter bei Alarmen. Ein Klick öffnet das Fenster; Beenden in ihrem Menü beendet sie.</translation>
    </message>
    <message>
        <source>It has no PIV application. Take a PIV card.</source>
        <translation>Sie hat keine PIV-Anwendung. Nehmen Sie eine PIV-Karte.</translation>
    </message>
    <message>
        <source>It has no verdict yet: the audit log has nothing of it.</source>
        <translation>Noch kein Urteil: Das Audit-Protokoll enthält nichts darüber.</translation>
    </message>
    <message>
        <source>It has not answered for {seconds:.0f} s. Pull the card out; then unplug the reader.</source>
        <translation>Sie antwortet seit {seconds:.0f} s nicht. Ziehen Sie die Karte heraus, dann das Lesegerät ab.</translation>
    </message>
    <message>
        <source>It has not taken its first key yet</source>
        <translation>Sie hat ihren ersten Schlüssel noch nicht übernommen</translation>
    </message>
    <message>
        <source>It is being done.</source>
        <translation>Ist in Arbeit.</translation>
    </message>
    <message>
        <source>It is entry {index} of {size} in the tree that a quorum of witnesses cosigned at {at}.</source>
        <translation>Es ist Eintrag {index} von {size} in dem Baum, den ein Quorum von Zeugen am {at} mitgezeichnet hat.</translation>
    </message>
    <message>
        <source>It is in the log</source>
        <translation>Er steht im Protokoll</translation>
    </message>
    <message>
        <source>It is in the stock already; close this and change its row.</source>
        <translation>Es ist schon im Bestand; schließen Sie dies und ändern Sie seine Zeile.</translation>
    </message>
    <message>
        <source>It is kept as an scrypt digest and shown to nobody. All sessions of the operator end. Who sets another one&apos;s passphrase never approves together with that operator.</source>
        <translation>Sie wird als scrypt-Hash gespeichert und niemandem gezeigt. Alle Sitzungen des Bedieners enden. Wer die Passphrase eines anderen setzt, gibt nie gemeinsam mit diesem Bediener frei.</translation>
    </message>
    <message>
        <source>It is larger than any maker&apos;s certificates.</source>
        <translation>Größer als die Zertifikate jedes Herstellers.</translation>
    </message>
    <message>
        <source>It is not of a living session of this terminal, or not of its time. Why, only the audit log says.</source>
        <translation>Er gehört nicht zu einer laufenden Sitzung dieses Terminals oder nicht in diese Zeit. Warum, sagt nur das Audit-Protokoll.</translation>
    </message>
    <message>
        <source>It is not written any more. Its row and its receipts stay; a card that somebody holds is valid until it is burned.</source>
        <translation>Es wird nicht mehr geschrieben. Seine Zeile und Belege bleiben; eine ausgehändigte Karte gilt, bis sie gesperrt wird.</translation>
    </message>
    <message>
        <source>It is not written until somebody puts it back. The reason is told to each person who tries.</source>
        <translation>Es wird nicht geschrieben, bis jemand es zurücklegt. Wer es versucht, erfährt den Grund.</translation>
    </message>
    <message>
        <source>It is of a living session of this terminal, of its time, and was never accepted before.</source>
        <translation>Er gehört zu einer laufenden Sitzung dieses Terminals und in diese Zeit und wurde noch nie angenommen.</translation>
    </message>
    <message>
        <source>It is older than the person&apos;s present employment: nobody was burned.</source>
        <translation>Älter als die jetzige Beschäftigung der Person: Niemand wurde gesperrt.</translation>
    </message>
    <message>
        <source>It is on its way.</source>
        <translation>Sie ist unterwegs.</translation>
    </message>
    <message>
        <source>It is over.</source>
        <translation>Sie ist vorbei.</translation>
    </message>
    <message>
        <source>It is overwritten in memory.</source>
        <translation>Sie wird im Speicher überschrieben.</translation>
    </message>
    <message>
        <source>It is sent, or sent again, by itself.</source>
        <translation>Sie wird von selbst gesendet oder erneut gesendet.</translation>
    </message>
    <message>
        <source>It is started again in a moment.</source>
        <translation>Er wird gleich wieder gestartet.</translation>
    </message>
    <message>
        <source>It is the first good {model} at this site.</source>
        <translation>Erste gute Karte dieses Modells am Standort: {model}.</translation>
    </message>
    <message>
        <source>It is there</source>
        <translation>Vorhanden</translation>
    </message>
    <message>
        <source>It is written to {path}, which only you can read. Keep a copy elsewhere: without it nobody, nor a backup, opens this site again. An unlocked keyring or the systemd credential store-passphrase does as well; then connect again (F5).</source>
        <translation>Sie wird nach {path} geschrieben, was nur Sie lesen können. Bewahren Sie anderswo eine Kopie auf: Ohne sie öffnet niemand, auch keine Sicherung, diesen Standort wieder. Ein entsperrter Schlüsselbund oder das systemd-Credential store-passphrase tut es auch; verbinden Sie dann erneut (F5).</translation>
    </message>
    <message>
        <source>It joins when it is.</source>
        <translation>Sobald es das ist, macht es mit.</translation>
    </message>
    <message>
        <source>It may be written again.</source>
        <translation>Es darf wieder geschrieben werden.</translation>
    </message>
    <message>
        <source>It may decide alone for a time, from its last bundle</source>
        <translation>Es darf eine Zeit lang allein entscheiden, nach seinem letzten Paket</translation>
    </message>
    <message>
        <source>It may not have been printed: save it now (Ctrl+M).</source>
        <translation>Vielleicht wurde er nicht gedruckt: Speichern Sie ihn jetzt (Strg+M).</translation>
    </message>
    <message>
        <source>It opens nothing any more.</source>
        <translation>Er öffnet nichts mehr.</translation>
    </message>
    <message>
        <source>It opens what its clearance allows.</source>
        <translation>Er öffnet, was seine Freigabestufe erlaubt.</translation>
    </message>
    <message>
        <source>It refused</source>
        <translation>Sie hat abgelehnt</translation>
    </message>
    <message>
        <source>It refused. Tried again each 5 min; look at what it says, then try now (Ctrl+R) or close it.</source>
        <translation>Das Ziel lehnte ab. Alle 5 min neuer Versuch; lesen Sie seine Meldung, dann jetzt versuchen (Strg+R) oder schließen.</translation>
    </message>
    <message>
        <source>It says what is shown</source>
        <translation>Er sagt, was gezeigt wird</translation>
    </message>
    <message>
        <source>It signed that it opened, checked and kept bundle {issue}.</source>
        <translation>Es hat signiert, dass es Paket {issue} geöffnet, geprüft und behalten hat.</translation>
    </message>
    <message>
        <source>It signs by</source>
        <translation>Signiert mit</translation>
    </message>
    <message>
        <source>It stays {path} until something is changed: {count} such files are kept already.</source>
        <translation>Sie bleibt {path}, bis etwas geändert wird: {count} solche Dateien sind schon aufgehoben.</translation>
    </message>
    <message>
        <source>It took the burn. What it did with it cannot be read: ask there if it must be known.</source>
        <translation>Das Ziel hat die Sperrung angenommen. Was es damit tat, ist nicht lesbar: Fragen Sie dort nach, wenn Sie es wissen müssen.</translation>
    </message>
    <message>
        <source>It was being written for {person}. Choose them, then Write.</source>
        <translation>Sie wurde für {person} geschrieben. Wählen Sie diese Person, dann „Karte schreiben“.</translation>
    </message>
    <message>
        <source>It was given certificates of its own meanwhile; use Change.</source>
        <translation>Die Gegenstelle hat inzwischen eigene Zertifikate erhalten; verwenden Sie „Ändern“.</translation>
    </message>
    <message>
        <source>It was judged by another model: its own rate holds, not this curve.</source>
        <translation>Ein anderes Modell hat sie beurteilt: Es gilt ihre eigene Rate, nicht diese Kurve.</translation>
    </message>
    <message>
        <source>It was not believed.</source>
        <translation>Es wurde nicht geglaubt.</translation>
    </message>
    <message>
        <source>It was sent</source>
        <translation>Wurde gesendet</translation>
    </message>
    <message>
        <source>It was signed with another secret, or changed on its way.</source>
        <translation>Mit einem anderen Geheimnis signiert oder unterwegs verändert.</translation>
    </message>
    <message>
        <source>It was stopped before there was a result.</source>
        <translation>Sie wurde angehalten, bevor es ein Ergebnis gab.</translation>
    </message>
    <message>
        <source>It was taken back.</source>
        <translation>Sie wurde zurückgenommen.</translation>
    </message>
    <message>
        <source>It was taken out of use. In stock it may be written for another one.</source>
        <translation>Es wurde ausgemustert. Im Bestand darf es für jemand anderen geschrieben werden.</translation>
    </message>
    <message>
        <source>It was tried in vain until the schedule ended.</source>
        <translation>Alle Versuche bis zum Ende des Zeitplans waren vergeblich.</translation>
    </message>
    <message>
        <source>It was written for a person. In stock it may be written for another one.</source>
        <translation>Es wurde für eine Person geschrieben. Im Bestand darf es für eine andere geschrieben werden.</translation>
    </message>
    <message>
        <source>It was {holder}&apos;s and was reset. It is free when its re-issue is approved.</source>
        <translation>Sie gehörte {holder} und wurde zurückgesetzt. Sie ist frei, wenn ihre Neuausgabe freigegeben ist.</translation>
    </message>
    <message>
        <source>Its CA (PEM)</source>
        <translation>CA (PEM)</translation>
    </message>
    <message>
        <source>Its PIN is blocked</source>
        <translation>Ihre PIN ist blockiert</translation>
    </message>
    <message>
        <source>Its PIN is blocked. Take another card.</source>
        <translation>Ihre PIN ist blockiert. Nehmen Sie eine andere Karte.</translation>
    </message>
    <message>
        <source>Its acknowledgement</source>
        <translation>Seine Bestätigung</translation>
    </message>
    <message>
        <source>Its calls are refused from that moment on: who is discharged there keeps access here until somebody burns them by hand. What it has sent stays in the inbox.</source>
        <translation>Ihre Aufrufe werden von diesem Moment an abgelehnt: Wer dort austritt, behält hier Zugang, bis jemand von Hand sperrt. Was sie gesendet hat, bleibt im Eingang.</translation>
    </message>
    <message>
        <source>Its claims, and the signed file to keep.</source>
        <translation>Seine Aussagen und die signierte Datei zum Aufbewahren.</translation>
    </message>
    <message>
        <source>Its copy in memory is overwritten, the file stays; the next one is opened.</source>
        <translation>Seine Kopie im Speicher wird überschrieben, die Datei bleibt; das nächste Bild wird geöffnet.</translation>
    </message>
    <message>
        <source>Its domains</source>
        <translation>Ihre Domains</translation>
    </message>
    <message>
        <source>Its door and its key go; it opens to nobody afterwards. What the audit log says of the cluster stays.</source>
        <translation>Die Tür und ihr Schlüssel werden gelöscht; sie öffnet danach niemandem mehr. Was das Audit-Protokoll über die Türgruppe sagt, bleibt.</translation>
    </message>
    <message>
        <source>Its holder is burned: it opens nothing any more. Take it back and destroy it.</source>
        <translation>Der Inhaber ist gesperrt: Sie öffnet nichts mehr. Nehmen Sie sie zurück und vernichten Sie sie.</translation>
    </message>
    <message>
        <source>Its holder is contained: it opens nothing until they are reinstated. Keep it.</source>
        <translation>Der Inhaber ist festgesetzt: Sie öffnet nichts, bis er wieder zugelassen ist. Behalten Sie sie.</translation>
    </message>
    <message>
        <source>Its link is slow: codes may be one step older</source>
        <translation>Seine Verbindung ist langsam: Codes dürfen einen Schritt älter sein</translation>
    </message>
    <message>
        <source>Its name and its brake.</source>
        <translation>Ihr Name und ihre Bremse.</translation>
    </message>
    <message>
        <source>Its name, keys, registry, cluster and least liveness.</source>
        <translation>Name, Schlüssel, Register, Türgruppe und Mindestwert der Lebenderkennung.</translation>
    </message>
    <message>
        <source>Its own time cannot be read, so nobody knows which employment it ends: nobody was burned.</source>
        <translation>Die angegebene Zeit ist nicht lesbar, daher weiß niemand, welche Beschäftigung endet: Niemand wurde gesperrt.</translation>
    </message>
    <message>
        <source>Its reference</source>
        <translation>Referenz der Plattform</translation>
    </message>
    <message>
        <source>Its root, and what is between it and the cards, as PEM. Compare the SHA-256 with what the maker says on another way than the one the file came on.</source>
        <translation>Seine Wurzel und was zwischen ihr und den Karten liegt, als PEM. Vergleichen Sie den SHA-256 mit der Angabe des Herstellers, auf einem anderen Weg als dem der Datei.</translation>
    </message>
    <message>
        <source>Its secret is shown once, right after this. Give every system a key of its own. It never approves what this console&apos;s key asks for, or another key that it made: who sees a secret could hold it.</source>
        <translation>Sein Geheimnis wird einmal gezeigt, gleich danach. Geben Sie jedem System einen eigenen Schlüssel. Er gibt nie frei, was der Schlüssel dieser Konsole oder ein anderer von ihm erstellter Schlüssel anfragt: Wer ein Geheimnis sieht, könnte es besitzen.</translation>
    </message>
    <message>
        <source>Its secret is shown once.</source>
        <translation>Sein Geheimnis wird einmal gezeigt.</translation>
    </message>
    <message>
        <source>Its signatures do not hold: {error}</source>
        <translation>Die Signaturen halten nicht: {error}</translation>
    </message>
    <message>
        <source>Its square is overwritten in memory.</source>
        <translation>Ihr Quadrat wird im Speicher überschrieben.</translation>
    </message>
    <message>
        <source>Its time is more than 5 minutes from ours: a clock is wrong, or a replay.</source>
        <translation>Seine Zeit weicht mehr als 5 Minuten von unserer ab: eine falsch gehende Uhr oder eine Wiederholung.</translation>
    </message>
    <message>
        <source>Its {count} doors and their keys go; they open to nobody afterwards. What the audit log says of the cluster stays.</source>
        <translation>Die {count} Türen und ihre Schlüssel werden gelöscht; sie öffnen danach niemandem mehr. Was das Audit-Protokoll über die Türgruppe sagt, bleibt.</translation>
    </message>
    <message>
        <source>JPEG ghost</source>
        <translation>JPEG-Geist</translation>
    </message>
    <message>
        <source>JPEG ghosts</source>
        <translation>JPEG-Geister</translation>
    </message>
    <message>
        <source>JPEG grid</source>
        <translation>JPEG-Raster</translation>
    </message>
    <message>
        <source>JPEG or PNG; it is kept in memory only, and for this card only.</source>
        <translation>JPEG oder PNG; es bleibt nur im Arbeitsspeicher und nur für diese Karte.</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>JSON lines (*.jsonl)</source>
        <translation>JSON-Zeilen (*.jsonl)</translation>
    </message>
    <message>
        <source>JSON lines: one object an APDU, with its difference from the golden trace.</source>
        <translation>JSON-Zeilen: ein Objekt je APDU, mit der Abweichung vom Referenz-Trace.</translation>
    </message>
    <message>
        <source>Jitter of the pitch</source>
        <translation>Jitter der Tonhöhe</translation>
    </message>
    <message>
        <source>Journal</source>
        <translation>Journal</translation>
    </message>
    <message>
        <source>Journal SHA-256</source>
        <translation>Journal SHA-256</translation>
    </message>
    <message>
        <source>Judging</source>
        <translation>Wird beurteilt</translation>
    </message>
    <message>
        <source>Jurisdiction</source>
        <translation>Rechtsraum</translation>
    </message>
    <message>
        <source>KEY</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>KEY EPOCH</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>KEY ID</source>
        <translation>Schlüssel-ID</translation>
    </message>
    <message>
        <source>KEYS</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>KIND</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>KIND AND LAW</source>
        <translation>Art und Gesetz</translation>
    </message>
    <message>
        <source>KNOT</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Keep it and start</source>
        <translation>Behalten und starten</translation>
    </message>
    <message>
        <source>Keep it as it is</source>
        <translation>So lassen</translation>
    </message>
    <message>
        <source>Keep it in this system&apos;s keyring</source>
        <translation>Im Schlüsselbund dieses Systems behalten</translation>
    </message>
    <message>
        <source>Keep the file apart and report it: it ended the process that read it.</source>
        <translation>Halten Sie die Datei getrennt und melden Sie sie: Sie beendete den Prozess, der sie las.</translation>
    </message>
    <message>
        <source>Keep the file apart and report it: it ended the processes that read it.</source>
        <translation>Halten Sie die Datei getrennt und melden Sie sie: Sie beendete die Prozesse, die sie lasen.</translation>
    </message>
    <message>
        <source>Keep the signed bundle with it.</source>
        <translation>Bewahren Sie das signierte Paket mit ihm auf.</translation>
    </message>
    <message>
        <source>Keeps it out of use, with a reason, until it is put back.</source>
        <translation>Hält es mit einem Grund außer Gebrauch, bis es zurückgelegt wird.</translation>
    </message>
    <message>
        <source>Kept on this machine for your user alone. The site is configured by its service, not here.</source>
        <translation>Nur für Ihren Benutzer auf diesem Rechner gespeichert. Der Standort wird durch seinen Dienst eingestellt, nicht hier.</translation>
    </message>
    <message>
        <source>Kept out of use until somebody has looked at it; it is not written.</source>
        <translation>Außer Gebrauch, bis jemand es geprüft hat; es wird nicht geschrieben.</translation>
    </message>
    <message>
        <source>Kept: up to 25 templates and their sum, sealed, made under the registry&apos;s key. Not kept: features, and whatever they were made of. A person has one set of templates, palm or stylized, whichever was enrolled last; erasing one erases both.</source>
        <translation>Gespeichert: bis zu 25 Templates und ihre Summe, versiegelt, unter dem Schlüssel des Registers. Nicht gespeichert: Merkmale und woraus sie entstanden. Jede Person hat einen Satz, Hand oder stilisiert, den zuletzt erfassten; Löschen betrifft beide.</translation>
    </message>
    <message>
        <source>Key 9B</source>
        <translation>Slot 9B</translation>
    </message>
    <message>
        <source>Key 9C</source>
        <translation>Slot 9C</translation>
    </message>
    <message>
        <source>Key 9D</source>
        <translation>Slot 9D</translation>
    </message>
    <message>
        <source>Key 9E</source>
        <translation>Slot 9E</translation>
    </message>
    <message>
        <source>Key ended</source>
        <translation>Schlüssel beendet</translation>
    </message>
    <message>
        <source>Key epoch {before} becomes {after} for {count:,} persons. {renewal} It cannot be taken back.</source>
        <translation>Die Schlüsselepoche {before} wird zu {after}, für {count:,} Personen. {renewal} Das lässt sich nicht zurücknehmen.</translation>
    </message>
    <message>
        <source>Key history</source>
        <translation>Schlüsselhistorie</translation>
    </message>
    <message>
        <source>Key of {label}</source>
        <translation>Schlüssel von {label}</translation>
    </message>
    <message>
        <source>Key version</source>
        <translation>Schlüsselversion</translation>
    </message>
    <message>
        <source>Key window of {cluster}</source>
        <translation>Schlüsselfenster von {cluster}</translation>
    </message>
    <message>
        <source>Key {label}</source>
        <translation>Schlüssel {label}</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Keys and proof</source>
        <translation>Schlüssel und Beweis</translation>
    </message>
    <message>
        <source>Keys and what they do</source>
        <translation>Tasten und ihre Wirkung</translation>
    </message>
    <message>
        <source>Keys are not for your role.</source>
        <translation>Schlüssel sind nicht für Ihre Rolle.</translation>
    </message>
    <message>
        <source>Keys made on it</source>
        <translation>Auf ihr erzeugt</translation>
    </message>
    <message>
        <source>Keys need Citadel clearance.</source>
        <translation>Schlüssel erfordern die Freigabestufe Citadel.</translation>
    </message>
    <message>
        <source>Keys of the card, with the SHA-256 of certificate and public key</source>
        <translation>Schlüssel der Karte, mit SHA-256 von Zertifikat und öffentlichem Schlüssel</translation>
    </message>
    <message>
        <source>Keys of {uid}</source>
        <translation>Schlüssel von {uid}</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Kind of file</source>
        <translation>Art der Datei</translation>
    </message>
    <message>
        <source>Knot</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Knot seals</source>
        <translation>Knot-Siegel</translation>
    </message>
    <message>
        <source>Known of now alone, not of a moment of the past.</source>
        <translation>Nur für jetzt bekannt, nicht für einen Moment der Vergangenheit.</translation>
    </message>
    <message>
        <source>LABEL</source>
        <translation>Bezeichnung</translation>
    </message>
    <message>
        <source>LAST COSIGNED</source>
        <translation>Zuletzt mitgezeichnet</translation>
    </message>
    <message>
        <source>LAST DECISION</source>
        <translation>Letzte Entscheidung</translation>
    </message>
    <message>
        <source>LAST DOOR</source>
        <translation>Letzte Tür</translation>
    </message>
    <message>
        <source>LAST LIVE CHECK</source>
        <translation>Letzte Live-Prüfung</translation>
    </message>
    <message>
        <source>LAST TRIAL</source>
        <translation>Letzte Probe</translation>
    </message>
    <message>
        <source>LAST USE</source>
        <translation>Letzte Nutzung</translation>
    </message>
    <message>
        <source>LATENCY</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>LAWS</source>
        <translation>Gesetze</translation>
    </message>
    <message>
        <source>LDAP directory</source>
        <translation>LDAP-Verzeichnis</translation>
    </message>
    <message>
        <source>LDAP, SCIM, OAuth or a webhook. It is tried when you save it; a burn then ends the accounts there too.</source>
        <translation>LDAP, SCIM, OAuth oder ein Webhook. Es wird beim Speichern ausprobiert; eine Sperrung beendet dann auch die Konten dort.</translation>
    </message>
    <message>
        <source>LEAF</source>
        <translation>Blatt</translation>
    </message>
    <message>
        <source>LEAST LIVENESS</source>
        <translation>Lebenderkennung ab</translation>
    </message>
    <message>
        <source>LICENCE</source>
        <translation>LIZENZ</translation>
    </message>
    <message>
        <source>LIFTED {time} by two keys</source>
        <translation>AUFGEHOBEN {time} mit zwei Schlüsseln</translation>
    </message>
    <message>
        <source>LINE</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>LINE</source>
        <comment>lineage</comment>
        <translation>Linie</translation>
    </message>
    <message>
        <source>LIST ON BOARD</source>
        <translation>Liste im Gerät</translation>
    </message>
    <message>
        <source>LOCATION</source>
        <translation>Lagerort</translation>
    </message>
    <message>
        <source>LONGEST</source>
        <translation>Längste</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Bezeichnung</translation>
    </message>
    <message>
        <source>Label of the batch</source>
        <translation>Bezeichnung des Stapels</translation>
    </message>
    <message>
        <source>Labelled</source>
        <translation>Gekennzeichnet</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>Etiketten</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Language, from the next start on</source>
        <translation>Sprache, ab dem nächsten Start</translation>
    </message>
    <message>
        <source>Languages</source>
        <translation>Sprachen</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Größerer Text</translation>
    </message>
    <message>
        <source>Last 24 hours</source>
        <translation>Letzte 24 Stunden</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>Last 365 days</source>
        <translation>Letzte 365 Tage</translation>
    </message>
    <message>
        <source>Last 6 hours</source>
        <translation>Letzte 6 Stunden</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Last burn, last target</source>
        <translation>Letzte Sperrung, letztes Ziel</translation>
    </message>
    <message>
        <source>Last day</source>
        <translation>Letzter Tag</translation>
    </message>
    <message>
        <source>Last door, p95</source>
        <translation>Letzte Tür, p95</translation>
    </message>
    <message>
        <source>Last door, p95 of {count:,} burns</source>
        <translation>Letzte Tür, p95 von {count:,} Sperrungen</translation>
    </message>
    <message>
        <source>Last door: half within {half}, 95 % within {most}, longest {longest}. {span}</source>
        <translation>Letzte Tür: die Hälfte binnen {half}, 95 % binnen {most}, längste Zeit {longest}. {span}</translation>
    </message>
    <message>
        <source>Last hour</source>
        <translation>Letzte Stunde</translation>
    </message>
    <message>
        <source>Last lines of the service&apos;s log</source>
        <translation>Letzte Zeilen des Dienstprotokolls</translation>
    </message>
    <message>
        <source>Last stall</source>
        <translation>Letzter Stillstand</translation>
    </message>
    <message>
        <source>Last trouble at {time}: {trouble}</source>
        <translation>Letzte Störung um {time}: {trouble}</translation>
    </message>
    <message>
        <source>Last trouble: {trouble}</source>
        <translation>Letzte Störung: {trouble}</translation>
    </message>
    <message>
        <source>Latencies and counts are the service&apos;s own record: no log holds them, and no signature proves them.</source>
        <translation>Latenzen und Anzahlen sind eigene Aufzeichnungen des Dienstes: Kein Protokoll enthält sie, und keine Signatur beweist sie.</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Latency of all frames</source>
        <translation>Latenz aller Frames</translation>
    </message>
    <message>
        <source>Latency of {frame}</source>
        <translation>Latenz von {frame}</translation>
    </message>
    <message>
        <source>Law</source>
        <translation>Gesetz</translation>
    </message>
    <message>
        <source>Law file</source>
        <translation>Gesetzesdatei</translation>
    </message>
    <message>
        <source>Lay the palm</source>
        <translation>Hand auflegen</translation>
    </message>
    <message>
        <source>Lay the person&apos;s drawn palm</source>
        <translation>Gezeichnete Handfläche der Person auflegen</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Ebene</translation>
    </message>
    <message>
        <source>Layer of the heatmap</source>
        <translation>Ebene der Heatmap</translation>
    </message>
    <message>
        <source>Leaf</source>
        <translation>Blatt</translation>
    </message>
    <message>
        <source>Leaf and opening</source>
        <translation>Blatt und Öffnung</translation>
    </message>
    <message>
        <source>Leaf hash</source>
        <translation>Blatt-Hash</translation>
    </message>
    <message>
        <source>Leaf hash {hash}</source>
        <translation>Blatt-Hash {hash}</translation>
    </message>
    <message>
        <source>Least liveness</source>
        <translation>Lebenderkennung ab</translation>
    </message>
    <message>
        <source>Leave by a door</source>
        <translation>Durch eine Tür hinaus</translation>
    </message>
    <message>
        <source>Leave it in until the write has ended.</source>
        <translation>Lassen Sie sie stecken, bis das Schreiben beendet ist.</translation>
    </message>
    <message>
        <source>Leave it in. It is finished when the batch goes on.</source>
        <translation>Stecken lassen. Sie wird fertig, wenn der Stapel weitergeht.</translation>
    </message>
    <message>
        <source>Leave out</source>
        <translation>Auslassen</translation>
    </message>
    <message>
        <source>Leave the bad lines out</source>
        <translation>Fehlerhafte Zeilen weglassen</translation>
    </message>
    <message>
        <source>Leave the picture out</source>
        <translation>Bild auslassen</translation>
    </message>
    <message>
        <source>Leave this card in, choose {person} and press Write: it is finished, not begun anew.</source>
        <translation>Lassen Sie diese Karte stecken, wählen Sie {person} und drücken Sie „Karte schreiben“: Sie wird fertiggestellt, nicht neu begonnen.</translation>
    </message>
    <message>
        <source>Left as it was</source>
        <translation>Unverändert belassen</translation>
    </message>
    <message>
        <source>Left of the middle</source>
        <translation>Links der Mitte</translation>
    </message>
    <message>
        <source>Let in</source>
        <translation>Eingelassen</translation>
    </message>
    <message>
        <source>Let in at {door}</source>
        <translation>Eingelassen an {door}</translation>
    </message>
    <message>
        <source>Let in at {reader}</source>
        <translation>Eingelassen an {reader}</translation>
    </message>
    <message>
        <source>Let the person speak anew, with new digits. Was it one recording sent twice by mistake, that is all.</source>
        <translation>Lassen Sie die Person erneut sprechen, mit neuen Ziffern. Wurde nur aus Versehen eine Aufnahme zweimal gesendet, ist das alles.</translation>
    </message>
    <message>
        <source>Letter</source>
        <translation>Brief</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>Licence texts</source>
        <translation>Lizenztexte</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>Lizenzen</translation>
    </message>
    <message>
        <source>Lifted</source>
        <translation>Aufgehoben</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Line {line:,}, {column}: {sentence}</source>
        <translation>Zeile {line:,}, {column}: {sentence}</translation>
    </message>
    <message>
        <source>Line {line} of the file</source>
        <translation>Zeile {line} der Datei</translation>
    </message>
    <message>
        <source>Line {line}: {sentence}</source>
        <translation>Zeile {line}: {sentence}</translation>
    </message>
    <message>
        <source>Line {number} is no address: it begins with http:// or https://, without a user.</source>
        <translation>Zeile {number} ist keine Adresse: Eine Adresse beginnt mit http:// oder https://, ohne Benutzer.</translation>
    </message>
    <message>
        <source>Line {number} of the file: </source>
        <translation>Zeile {number} der Datei: </translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Lines of the batch, those that need somebody first</source>
        <translation>Zeilen des Stapels, die jemanden brauchen zuerst</translation>
    </message>
    <message>
        <source>Lines of the list, bad ones first</source>
        <translation>Zeilen der Liste, fehlerhafte zuerst</translation>
    </message>
    <message>
        <source>Link: {words}</source>
        <translation>Verbindung: {words}</translation>
    </message>
    <message>
        <source>List</source>
        <translation>Liste</translation>
    </message>
    <message>
        <source>List of files</source>
        <translation>Dateiliste</translation>
    </message>
    <message>
        <source>List of revoked certificates signed, {count} in it</source>
        <translation>Liste widerrufener Zertifikate gezeichnet, {count} darin</translation>
    </message>
    <message>
        <source>Listed by the brake on discharges until {time}; whether held is not known.</source>
        <translation>Von der Bremse für Austritte bis {time} geführt; ob festgesetzt, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>Lists (*.csv *.txt *.tsv)</source>
        <translation>Listen (*.csv *.txt *.tsv)</translation>
    </message>
    <message>
        <source>Lists every frame, or folds the operational ones into one row.</source>
        <translation>Zeigt jedes Frame oder klappt die in Betrieb zu einer Zeile ein.</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>Live</translation>
    </message>
    <message>
        <source>Live check</source>
        <translation>Live-Prüfung</translation>
    </message>
    <message>
        <source>Live checks</source>
        <translation>Live-Prüfungen</translation>
    </message>
    <message>
        <source>Live, {events}</source>
        <translation>Live, {events}</translation>
    </message>
    <message>
        <source>Live, {lag}</source>
        <translation>Live, {lag}</translation>
    </message>
    <message>
        <source>Liveness</source>
        <translation>Lebenderkennung</translation>
    </message>
    <message>
        <source>Living voice</source>
        <translation>Lebende Stimme</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Lädt</translation>
    </message>
    <message>
        <source>Loading.</source>
        <translation>Lädt.</translation>
    </message>
    <message>
        <source>Local jump</source>
        <translation>Örtlicher Sprung</translation>
    </message>
    <message>
        <source>Local only</source>
        <translation>Nur lokal</translation>
    </message>
    <message>
        <source>Locally</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>Location</source>
        <translation>Lagerort</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>Verriegeln</translation>
    </message>
    <message>
        <source>Lock this desk</source>
        <translation>Arbeitsplatz verriegeln</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>Verriegelt</translation>
    </message>
    <message>
        <source>Locked desk</source>
        <translation>Verriegelter Arbeitsplatz</translation>
    </message>
    <message>
        <source>Locked here.</source>
        <translation>Hier verriegelt.</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Log in</source>
        <translation>Anmelden</translation>
    </message>
    <message>
        <source>Longest stall</source>
        <translation>Längster Stillstand</translation>
    </message>
    <message>
        <source>Longest time in the last minute in which the window did not answer.</source>
        <translation>Längste Zeit der letzten Minute, in der das Fenster nicht antwortete.</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>Ansehen</translation>
    </message>
    <message>
        <source>Look at its present state and decide anew.</source>
        <translation>Sehen Sie den jetzigen Stand an und entscheiden Sie neu.</translation>
    </message>
    <message>
        <source>Look at what a burn would touch</source>
        <translation>Auswirkung einer Sperrung ansehen</translation>
    </message>
    <message>
        <source>Look it up again; it may have been deleted.</source>
        <translation>Suchen Sie erneut; vielleicht wurde es gelöscht.</translation>
    </message>
    <message>
        <source>Look whether the address answers and is public. One on this site needs a row in the registry&apos;s media sources.</source>
        <translation>Sehen Sie nach, ob die Adresse antwortet und öffentlich ist. Eine an diesem Standort braucht eine Zeile unter den Medienquellen der Registrierung.</translation>
    </message>
    <message>
        <source>Look whether the file opens elsewhere, and get it anew from where it came from.</source>
        <translation>Sehen Sie nach, ob sich die Datei anderswo öffnen lässt, und beschaffen Sie sie neu von ihrer Herkunft.</translation>
    </message>
    <message>
        <source>Looking</source>
        <translation>Wird untersucht</translation>
    </message>
    <message>
        <source>Looking for readers</source>
        <translation>Lesegeräte werden gesucht</translation>
    </message>
    <message>
        <source>Looking for the printer.</source>
        <translation>Der Drucker wird gesucht.</translation>
    </message>
    <message>
        <source>Looks at it, and ends there anew what somebody has undone.</source>
        <translation>Sieht nach und beendet dort erneut, was jemand rückgängig gemacht hat.</translation>
    </message>
    <message>
        <source>Looks at the card</source>
        <translation>Prüft die Karte</translation>
    </message>
    <message>
        <source>Lost card</source>
        <translation>Karte verloren</translation>
    </message>
    <message>
        <source>Lost or forgotten: a second key agrees to a new one (Alt+5).</source>
        <translation>Verloren oder vergessen: Ein zweiter Schlüssel stimmt einer neuen zu (Alt+5).</translation>
    </message>
    <message>
        <source>Lost or stolen? Tell your badge office at once, so that the card can be revoked.</source>
        <translation>Verloren, gestohlen? Melden Sie es sofort der Ausweisstelle zum Widerruf.</translation>
    </message>
    <message>
        <source>Lower left</source>
        <translation>Unten links</translation>
    </message>
    <message>
        <source>Lower right</source>
        <translation>Unten rechts</translation>
    </message>
    <message>
        <source>MADE</source>
        <translation>Erstellt</translation>
    </message>
    <message>
        <source>MADE BY</source>
        <translation>Erstellt durch</translation>
    </message>
    <message>
        <source>MAKER</source>
        <translation>Hersteller</translation>
    </message>
    <message>
        <source>MATCHES</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>MAX</source>
        <translation>Max.</translation>
    </message>
    <message>
        <source>MAY</source>
        <translation>Darf</translation>
    </message>
    <message>
        <source>MEASURED</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>MESSAGE</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>MISSED</source>
        <translation>Ausfälle</translation>
    </message>
    <message>
        <source>MS</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>Machines that watch or act with their own key appear here.</source>
        <translation>Maschinen, die mit eigenem Schlüssel beobachten oder handeln, erscheinen hier.</translation>
    </message>
    <message>
        <source>Made by</source>
        <translation>Erstellt mit</translation>
    </message>
    <message>
        <source>Mail</source>
        <translation>E-Mail</translation>
    </message>
    <message>
        <source>Maintenance</source>
        <translation>Wartung</translation>
    </message>
    <message>
        <source>Maintenance of {peer}</source>
        <translation>Wartung von {peer}</translation>
    </message>
    <message>
        <source>Maintenance on or off</source>
        <translation>Wartung ein oder aus</translation>
    </message>
    <message>
        <source>Make</source>
        <translation>Anlegen</translation>
    </message>
    <message>
        <source>Make an API key</source>
        <translation>API-Schlüssel erstellen</translation>
    </message>
    <message>
        <source>Make an operator</source>
        <translation>Bediener anlegen</translation>
    </message>
    <message>
        <source>Make key {slot} on the card</source>
        <translation>Schlüssel {slot} auf der Karte erzeugen</translation>
    </message>
    <message>
        <source>Make the key</source>
        <translation>Schlüssel erstellen</translation>
    </message>
    <message>
        <source>Make the key of {label}</source>
        <translation>Schlüssel von {label} erstellen</translation>
    </message>
    <message>
        <source>Make {name}</source>
        <translation>{name} anlegen</translation>
    </message>
    <message>
        <source>Make “{title}” narrower</source>
        <translation>„{title}“ schmaler machen</translation>
    </message>
    <message>
        <source>Make “{title}” wider</source>
        <translation>„{title}“ breiter machen</translation>
    </message>
    <message>
        <source>Makes the keys on the card, certifies them and proves the card in a fresh session.</source>
        <translation>Erzeugt die Schlüssel auf der Karte, zertifiziert sie und beweist die Karte in einer neuen Sitzung.</translation>
    </message>
    <message>
        <source>Making {name}.</source>
        <translation>{name} wird erstellt.</translation>
    </message>
    <message>
        <source>Management key</source>
        <translation>Verwaltungsschlüssel</translation>
    </message>
    <message>
        <source>Management key (9B)</source>
        <translation>Verwaltungsschlüssel (9B)</translation>
    </message>
    <message>
        <source>Manager: reads, reports</source>
        <translation>Leitung: Einsicht, Berichte</translation>
    </message>
    <message>
        <source>Mandate</source>
        <translation>Vollmacht</translation>
    </message>
    <message>
        <source>Manipulated</source>
        <translation>Manipuliert</translation>
    </message>
    <message>
        <source>Map inside: {score:.2f} of 1</source>
        <translation>Karte innen: {score:.2f} von 1</translation>
    </message>
    <message>
        <source>Mark all rows</source>
        <translation>Alle Zeilen markieren</translation>
    </message>
    <message>
        <source>Mark frames to compare</source>
        <translation>Frames zum Vergleich markieren</translation>
    </message>
    <message>
        <source>Mark the row</source>
        <translation>Zeile markieren</translation>
    </message>
    <message>
        <source>Marks the entry: an evidence bundle takes all marked ones.</source>
        <translation>Markiert den Eintrag: Ein Belegbündel nimmt alle markierten.</translation>
    </message>
    <message>
        <source>Marks the newest written card as given. The mark is of this console and ends with it.</source>
        <translation>Vermerkt die zuletzt geschriebene Karte als ausgegeben. Der Vermerk gilt auf dieser Konsole und endet mit ihr.</translation>
    </message>
    <message>
        <source>Match</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>May be written.</source>
        <translation>Darf geschrieben werden.</translation>
    </message>
    <message>
        <source>May still be inside</source>
        <translation>Vielleicht noch im Haus</translation>
    </message>
    <message>
        <source>May still be inside: {door}, {age} ago</source>
        <translation>Vielleicht noch im Haus: {door}, vor {age}</translation>
    </message>
    <message>
        <source>Maybe</source>
        <translation>Vielleicht</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Measured: real palms that nobody had enrolled were accepted in {bound} (rule of three, 95 % confidence).</source>
        <translation>Gemessen: Echte Handflächen, die niemand erfasst hatte, wurden angenommen in {bound} (Dreierregel, 95 % Konfidenz).</translation>
    </message>
    <message>
        <source>Media</source>
        <translation>Medien</translation>
    </message>
    <message>
        <source>Media (SHA-256)</source>
        <translation>Medien (SHA-256)</translation>
    </message>
    <message>
        <source>Media scan</source>
        <translation>Medienprüfung</translation>
    </message>
    <message>
        <source>Media scan {scan_id}</source>
        <translation>Medienprüfung {scan_id}</translation>
    </message>
    <message>
        <source>Media source</source>
        <translation>Medienquelle</translation>
    </message>
    <message>
        <source>Media type</source>
        <translation>Medientyp</translation>
    </message>
    <message>
        <source>Medians, each of {step}.</source>
        <translation>Mediane, je über {step}.</translation>
    </message>
    <message>
        <source>Menu of {name}</source>
        <translation>Menü von {name}</translation>
    </message>
    <message>
        <source>Message of the containment</source>
        <translation>Meldung zur Festsetzung</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>Messages of this window</source>
        <translation>Meldungen dieses Fensters</translation>
    </message>
    <message>
        <source>Messages, {unread} new</source>
        <translation>Meldungen, {unread} neu</translation>
    </message>
    <message>
        <source>Met</source>
        <translation>Erfüllt</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>Mikrofon</translation>
    </message>
    <message>
        <source>Middle p50 and highest p99 of the frames, each of {step}.</source>
        <translation>Mittleres p50 und höchstes p99 der Frames, je über {step}.</translation>
    </message>
    <message>
        <source>Missed of {probes:,}</source>
        <translation>Verfehlt von {probes:,}</translation>
    </message>
    <message>
        <source>Missed probes</source>
        <translation>Verfehlte Prüfungen</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>Fehlt</translation>
    </message>
    <message>
        <source>Missing: {names}. It is signed and gets its tracking token now; {rest}</source>
        <translation>Es fehlt: {names}. Die Erklärung wird signiert und erhält jetzt ihr Tracking-Token; {rest}</translation>
    </message>
    <message>
        <source>Model {model}.</source>
        <translation>Modell {model}.</translation>
    </message>
    <message>
        <source>Modulus</source>
        <translation>Modulus</translation>
    </message>
    <message>
        <source>Mon</source>
        <translation>Mo</translation>
    </message>
    <message>
        <source>More discharges are contained, not burned; above five times as many, queued.</source>
        <translation>Weitere Austritte werden festgesetzt, nicht gesperrt; ab mehr als dem Fünffachen eingereiht.</translation>
    </message>
    <message>
        <source>More profiles</source>
        <translation>Weitere Profile</translation>
    </message>
    <message>
        <source>Morphed picture</source>
        <translation>Manipuliertes Bild</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>Bewegung</translation>
    </message>
    <message>
        <source>Move “{title}” to the left</source>
        <translation>„{title}“ nach links schieben</translation>
    </message>
    <message>
        <source>Move “{title}” to the right</source>
        <translation>„{title}“ nach rechts schieben</translation>
    </message>
    <message>
        <source>Mute 15 min</source>
        <translation>15 min stumm</translation>
    </message>
    <message>
        <source>Mute the most pressing for 15 min</source>
        <translation>Das Dringendste für 15 min stumm schalten</translation>
    </message>
    <message>
        <source>Muted</source>
        <translation>Stumm</translation>
    </message>
    <message>
        <source>Muted: {what}</source>
        <translation>Stumm: {what}</translation>
    </message>
    <message>
        <source>NAME</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>NEXT</source>
        <translation>Nächster Schritt</translation>
    </message>
    <message>
        <source>NO MATCH</source>
        <translation>Kein Treffer</translation>
    </message>
    <message>
        <source>NO PROOF</source>
        <translation>Ohne Beweis</translation>
    </message>
    <message>
        <source>NO.</source>
        <translation>Nr.</translation>
    </message>
    <message>
        <source>NODE</source>
        <translation>Personen-ID</translation>
    </message>
    <message>
        <source>NODE ID</source>
        <translation>Personen-ID</translation>
    </message>
    <message>
        <source>NOT STORED</source>
        <translation>Nicht gespeichert</translation>
    </message>
    <message>
        <source>NOT STORED YET: the service&apos;s disk takes nothing. Make room; other systems do not know of this burn</source>
        <translation>NOCH NICHT GESPEICHERT: Die Platte des Dienstes nimmt nichts an. Schaffen Sie Platz; andere Systeme wissen nichts von dieser Sperrung</translation>
    </message>
    <message>
        <source>NOW</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Name and order</source>
        <translation>Name und Reihenfolge</translation>
    </message>
    <message>
        <source>Name of the cluster</source>
        <translation>Name der Türgruppe</translation>
    </message>
    <message>
        <source>Name of the file</source>
        <translation>Name der Datei</translation>
    </message>
    <message>
        <source>Name of the operator</source>
        <translation>Name des Bedieners</translation>
    </message>
    <message>
        <source>Name or id</source>
        <translation>Name oder ID</translation>
    </message>
    <message>
        <source>Name or id of the person</source>
        <translation>Name oder ID</translation>
    </message>
    <message>
        <source>Name or node id</source>
        <translation>Name oder Personen-ID</translation>
    </message>
    <message>
        <source>Name or node id   /</source>
        <translation>Name oder Personen-ID   /</translation>
    </message>
    <message>
        <source>Name or node id; nobody: takes no part in four eyes</source>
        <translation>Name oder Personen-ID; niemand: nimmt am Vier-Augen-Prinzip nicht teil</translation>
    </message>
    <message>
        <source>Name the standard that is declared: FIPS 140-2, FIPS 140-3 or GSA APL.</source>
        <translation>Nennen Sie den angegebenen Standard: FIPS 140-2, FIPS 140-3 oder GSA APL.</translation>
    </message>
    <message>
        <source>Name, employee id, address, accounts elsewhere, notes.</source>
        <translation>Name, Personalnummer, Adresse, Konten anderswo, Notizen.</translation>
    </message>
    <message>
        <source>Name, or a whole path</source>
        <translation>Name oder ganzer Pfad</translation>
    </message>
    <message>
        <source>Name, or op_…</source>
        <translation>Name oder op_…</translation>
    </message>
    <message>
        <source>Name, roles, ways to sign in, person, state.</source>
        <translation>Name, Rollen, Anmeldeverfahren, Person, Stand.</translation>
    </message>
    <message>
        <source>Named by a strike that names no platform</source>
        <translation>Gilt für Vorgänge, die keine Plattform nennen</translation>
    </message>
    <message>
        <source>Names and node ids are searched.</source>
        <translation>Gesucht wird in Namen und Personen-IDs.</translation>
    </message>
    <message>
        <source>Names are hidden at this size; point at a cell or use the list.</source>
        <translation>In dieser Größe sind Namen verborgen; zeigen Sie auf eine Zelle oder nehmen Sie die Liste.</translation>
    </message>
    <message>
        <source>Nature</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Needed: a name of up to 200 characters.</source>
        <translation>Nötig: ein Name von bis zu 200 Zeichen.</translation>
    </message>
    <message>
        <source>Needed: up to 64 letters, digits, dots, dashes, underscores, colons; first a letter or digit.</source>
        <translation>Nötig: bis zu 64 Buchstaben, Ziffern, Punkte, Striche, Unterstriche, Doppelpunkte; zuerst ein Buchstabe oder eine Ziffer.</translation>
    </message>
    <message>
        <source>Needs Citadel clearance, the person&apos;s consent, three takes and 12 s of speech.</source>
        <translation>Erfordert die Freigabestufe Citadel, die Einwilligung der Person, drei Sprechproben und 12 s Sprache.</translation>
    </message>
    <message>
        <source>Needs Citadel clearance.</source>
        <translation>Erfordert die Freigabestufe Citadel.</translation>
    </message>
    <message>
        <source>Needs Citadel clearance. In place of what the person had.</source>
        <translation>Erfordert die Freigabestufe Citadel. Ersetzt, was die Person hatte.</translation>
    </message>
    <message>
        <source>Needs a Citadel key</source>
        <translation>Braucht einen Citadel-Schlüssel</translation>
    </message>
    <message>
        <source>Needs you</source>
        <translation>Braucht Sie</translation>
    </message>
    <message>
        <source>Needs you{now}</source>
        <translation>Braucht Sie{now}</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <source>Never fetched</source>
        <translation>Nie abgeholt</translation>
    </message>
    <message>
        <source>Never given.</source>
        <translation>Nie angegeben.</translation>
    </message>
    <message>
        <source>Never one&apos;s own, nor of somebody whose line meets one&apos;s own.</source>
        <translation>Nie die eigene, noch die von jemandem, dessen Linie die eigene berührt.</translation>
    </message>
    <message>
        <source>Never one&apos;s own, nor that of a key which this one comes from, made, or shares a maker with.</source>
        <translation>Nie, was der eigene Schlüssel beantragt, und nie, was ein Schlüssel beantragt, von dem er abstammt, den er erstellt hat oder mit dem er einen Ersteller teilt.</translation>
    </message>
    <message>
        <source>Never seen</source>
        <translation>Nie gesehen</translation>
    </message>
    <message>
        <source>Never ticked in advance. The name goes into the signed declaration.</source>
        <translation>Nie im Voraus angekreuzt. Der Name kommt in die signierte Erklärung.</translation>
    </message>
    <message>
        <source>Never.</source>
        <translation>Nie.</translation>
    </message>
    <message>
        <source>New draft</source>
        <translation>Neuer Entwurf</translation>
    </message>
    <message>
        <source>New key of {label}</source>
        <translation>Neuer Schlüssel von {label}</translation>
    </message>
    <message>
        <source>New keys for {cluster}</source>
        <translation>Neue Schlüssel für {cluster}</translation>
    </message>
    <message>
        <source>New list</source>
        <translation>Neue Liste</translation>
    </message>
    <message>
        <source>Newer 200</source>
        <translation>200 neuere</translation>
    </message>
    <message>
        <source>Newest sample</source>
        <translation>Neueste Messung</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Nächste</translation>
    </message>
    <message>
        <source>Next line that needs you</source>
        <translation>Nächste Zeile, die Sie braucht</translation>
    </message>
    <message>
        <source>Next pane</source>
        <translation>Nächster Bereich</translation>
    </message>
    <message>
        <source>Next step of the burn</source>
        <translation>Nächster Schritt der Sperrung</translation>
    </message>
    <message>
        <source>Next training card</source>
        <translation>Nächste Übungskarte</translation>
    </message>
    <message>
        <source>Next, line {line} of {total}</source>
        <translation>Nächste, Zeile {line} von {total}</translation>
    </message>
    <message>
        <source>Next: give out the PIN, then open doors.</source>
        <translation>Als Nächstes: die PIN ausgeben, dann Türen öffnen.</translation>
    </message>
    <message>
        <source>Next: {step}</source>
        <translation>Als Nächstes: {step}</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>No APDU to show.</source>
        <translation>Keine APDU vorhanden.</translation>
    </message>
    <message>
        <source>No HR system has called yet.</source>
        <translation>Noch kein Personalsystem hat sich gemeldet.</translation>
    </message>
    <message>
        <source>No HR system is believed yet.</source>
        <translation>Noch wird keinem Personalsystem geglaubt.</translation>
    </message>
    <message>
        <source>No PC/SC service: simulated readers only.</source>
        <translation>Kein PC/SC-Dienst: nur simulierte Lesegeräte.</translation>
    </message>
    <message>
        <source>No PIV</source>
        <translation>Kein PIV</translation>
    </message>
    <message>
        <source>No access</source>
        <translation>Kein Zugang</translation>
    </message>
    <message>
        <source>No alarm</source>
        <translation>Kein Alarm</translation>
    </message>
    <message>
        <source>No alarm is open.</source>
        <translation>Kein Alarm ist offen.</translation>
    </message>
    <message>
        <source>No alarm was open in this span.</source>
        <translation>In diesem Zeitraum war kein Alarm offen.</translation>
    </message>
    <message>
        <source>No alarm, burn or restart.</source>
        <translation>Kein Alarm, keine Sperrung, kein Neustart.</translation>
    </message>
    <message>
        <source>No animations</source>
        <translation>Keine Animationen</translation>
    </message>
    <message>
        <source>No answer</source>
        <translation>Keine Antwort</translation>
    </message>
    <message>
        <source>No batch is open.</source>
        <translation>Kein Stapel ist offen.</translation>
    </message>
    <message>
        <source>No batch was made yet.</source>
        <translation>Es gibt noch keinen Stapel.</translation>
    </message>
    <message>
        <source>No browser answers on this machine; the form&apos;s address is on the clipboard: {url}</source>
        <translation>Kein Browser antwortet auf diesem Rechner; die Adresse des Formulars liegt in der Zwischenablage: {url}</translation>
    </message>
    <message>
        <source>No bundle was fetched for it.</source>
        <translation>Für dieses Terminal wurde kein Paket abgeholt.</translation>
    </message>
    <message>
        <source>No burn in this range: there is nothing to judge.</source>
        <translation>Keine Sperrung in diesem Zeitraum: Es gibt nichts zu beurteilen.</translation>
    </message>
    <message>
        <source>No burn of the span has all its doors proven, so there is no time to the last door.</source>
        <translation>Keine Sperrung des Zeitraums hat alle Türen bewiesen, daher gibt es keine Zeit bis zur letzten Tür.</translation>
    </message>
    <message>
        <source>No burn reaches it from then on, and burns that have not reached it yet stay open until a person closes them. Nothing changes in the directory itself.</source>
        <translation>Ab dann erreicht es keine Sperrung mehr; Sperrungen, die es noch nicht erreicht haben, bleiben offen, bis eine Person sie schließt. Im Verzeichnis selbst ändert sich nichts.</translation>
    </message>
    <message>
        <source>No burn with doors in this range: there is nothing to judge.</source>
        <translation>Keine Sperrung mit Türen in diesem Zeitraum: Es gibt nichts zu beurteilen.</translation>
    </message>
    <message>
        <source>No burn yet</source>
        <translation>Noch keine Sperrung</translation>
    </message>
    <message>
        <source>No burn yet.</source>
        <translation>Noch keine Sperrung.</translation>
    </message>
    <message>
        <source>No calibration is known.</source>
        <translation>Keine Kalibrierung ist bekannt.</translation>
    </message>
    <message>
        <source>No card</source>
        <translation>Keine Karte</translation>
    </message>
    <message>
        <source>No card gets a line</source>
        <translation>Keine Karte bekommt eine Zeile</translation>
    </message>
    <message>
        <source>No card has answered.</source>
        <translation>Keine Karte hat geantwortet.</translation>
    </message>
    <message>
        <source>No card has been written here yet.</source>
        <translation>Hier wurde noch keine Karte geschrieben.</translation>
    </message>
    <message>
        <source>No card is written for them.</source>
        <translation>Für diese Person wird keine Karte geschrieben.</translation>
    </message>
    <message>
        <source>No card reader</source>
        <translation>Kein Lesegerät</translation>
    </message>
    <message>
        <source>No card reader can be reached</source>
        <translation>Kein Kartenleser ist erreichbar</translation>
    </message>
    <message>
        <source>No card reader is here</source>
        <translation>Kein Kartenleser ist da</translation>
    </message>
    <message>
        <source>No card was held to a door yet.</source>
        <translation>Noch wurde keine Karte an eine Tür gehalten.</translation>
    </message>
    <message>
        <source>No card was written for it yet: the audit log has nothing of it.</source>
        <translation>Für sie wurde noch keine Karte geschrieben: Das Audit-Protokoll hat nichts davon.</translation>
    </message>
    <message>
        <source>No card was written for this person.</source>
        <translation>Für diese Person wurde keine Karte geschrieben.</translation>
    </message>
    <message>
        <source>No card was written yet.</source>
        <translation>Es wurde noch keine Karte geschrieben.</translation>
    </message>
    <message>
        <source>No certificate that can be read is in it.</source>
        <translation>Sie enthält kein lesbares Zertifikat.</translation>
    </message>
    <message>
        <source>No certificate was seen</source>
        <translation>Kein Zertifikat gesehen</translation>
    </message>
    <message>
        <source>No cluster is registered.</source>
        <translation>Keine Türgruppe ist registriert.</translation>
    </message>
    <message>
        <source>No code</source>
        <translation>Kein Code</translation>
    </message>
    <message>
        <source>No code is shown.</source>
        <translation>Kein Code wird gezeigt.</translation>
    </message>
    <message>
        <source>No code is shown. Choose a terminal; F7 shows its code, which a phone scans off this screen.</source>
        <translation>Kein Code wird gezeigt. Wählen Sie ein Terminal; F7 zeigt seinen Code, den ein Telefon von diesem Bildschirm scannt.</translation>
    </message>
    <message>
        <source>No consent is sealed yet.</source>
        <translation>Noch keine Einwilligung ist versiegelt.</translation>
    </message>
    <message>
        <source>No credential profile yet.</source>
        <translation>Noch kein Berechtigungsprofil.</translation>
    </message>
    <message>
        <source>No data arrive: what is shown is old.</source>
        <translation>Es kommen keine Daten an: Das Gezeigte ist alt.</translation>
    </message>
    <message>
        <source>No decision</source>
        <translation>Keine Entscheidung</translation>
    </message>
    <message>
        <source>No differences</source>
        <translation>Keine Abweichungen</translation>
    </message>
    <message>
        <source>No digits are asked of a file: nobody saw who spoke.</source>
        <translation>Bei einer Datei werden keine Ziffern verlangt: Niemand sah, wer sprach.</translation>
    </message>
    <message>
        <source>No digits yet</source>
        <translation>Noch keine Ziffern</translation>
    </message>
    <message>
        <source>No directory is registered yet.</source>
        <translation>Noch kein Verzeichnis ist registriert.</translation>
    </message>
    <message>
        <source>No directory {directory} is registered. There are: {known}.</source>
        <translation>Kein Verzeichnis {directory} ist registriert. Es gibt: {known}.</translation>
    </message>
    <message>
        <source>No door is chosen</source>
        <translation>Keine Tür ist gewählt</translation>
    </message>
    <message>
        <source>No door is registered</source>
        <translation>Keine Tür registriert</translation>
    </message>
    <message>
        <source>No drill in this range: there is nothing to judge.</source>
        <translation>Keine Übung in diesem Zeitraum: Es gibt nichts zu beurteilen.</translation>
    </message>
    <message>
        <source>No drill with doors in this range: there is nothing to judge.</source>
        <translation>Keine Übung mit Türen in diesem Zeitraum: Es gibt nichts zu beurteilen.</translation>
    </message>
    <message>
        <source>No element matches.</source>
        <translation>Kein Element passt.</translation>
    </message>
    <message>
        <source>No end of its own</source>
        <translation>Kein eigenes Ende</translation>
    </message>
    <message>
        <source>No end was agreed</source>
        <translation>Kein Ende vereinbart</translation>
    </message>
    <message>
        <source>No entry matches</source>
        <translation>Kein Eintrag passt</translation>
    </message>
    <message>
        <source>No event yet.</source>
        <translation>Noch kein Ereignis.</translation>
    </message>
    <message>
        <source>No false-alarm rate is known of this result.</source>
        <translation>Zu diesem Ergebnis ist keine Fehlalarmrate bekannt.</translation>
    </message>
    <message>
        <source>No feed is watched.</source>
        <translation>Kein Feed wird überwacht.</translation>
    </message>
    <message>
        <source>No figure</source>
        <translation>Keine Zahl</translation>
    </message>
    <message>
        <source>No file can be made for line {line} ({problem}); its PIN was not touched.</source>
        <translation>Für Zeile {line} kann keine Datei angelegt werden ({problem}); die PIN wurde nicht angerührt.</translation>
    </message>
    <message>
        <source>No font on this machine has {letters} of {node_id}&apos;s name: printed without accents or as ?. Install a font for its script.</source>
        <translation>Keine Schrift auf diesem Rechner enthält {letters} aus dem Namen von {node_id}: Gedruckt wird ohne Akzente oder als ?. Installieren Sie eine Schrift dafür.</translation>
    </message>
    <message>
        <source>No frame had a sample in {count} of {total} steps, {time} in all: hatched, and in no figure.</source>
        <translation>In {count} von {total} Schritten, zusammen {time}, hatte kein Frame eine Messung: schraffiert und in keiner Zahl enthalten.</translation>
    </message>
    <message>
        <source>No frame matches.</source>
        <translation>Kein Frame passt.</translation>
    </message>
    <message>
        <source>No frame of the feed has been judged yet.</source>
        <translation>Noch wurde kein Bild des Feeds beurteilt.</translation>
    </message>
    <message>
        <source>No frame was measured in this span.</source>
        <translation>In diesem Zeitraum wurde kein Frame gemessen.</translation>
    </message>
    <message>
        <source>No frame was read yet.</source>
        <translation>Noch wurde kein Frame gelesen.</translation>
    </message>
    <message>
        <source>No further line is given to a card; cards in work are finished.</source>
        <translation>Keine Karte erhält eine weitere Zeile; Karten in Arbeit werden fertiggestellt.</translation>
    </message>
    <message>
        <source>No goal</source>
        <translation>Kein Ziel</translation>
    </message>
    <message>
        <source>No grant</source>
        <translation>Keine Berechtigung</translation>
    </message>
    <message>
        <source>No handshake is known of that moment.</source>
        <translation>Aus diesem Moment ist kein Handshake bekannt.</translation>
    </message>
    <message>
        <source>No handshake was measured yet.</source>
        <translation>Noch wurde kein Handshake gemessen.</translation>
    </message>
    <message>
        <source>No history</source>
        <translation>Kein Verlauf</translation>
    </message>
    <message>
        <source>No history is kept of certificates: the chart shows the p99 of the handshakes.</source>
        <translation>Von Zertifikaten wird kein Verlauf geführt: Das Diagramm zeigt das p99 der Handshakes.</translation>
    </message>
    <message>
        <source>No identity is registered for drills.</source>
        <translation>Keine Identität ist für Übungen registriert.</translation>
    </message>
    <message>
        <source>No key yet</source>
        <translation>Noch kein Schlüssel</translation>
    </message>
    <message>
        <source>No law is chosen</source>
        <translation>Kein Gesetz gewählt</translation>
    </message>
    <message>
        <source>No lawyer has signed this file off.</source>
        <translation>Kein Jurist hat diese Datei abgezeichnet.</translation>
    </message>
    <message>
        <source>No line is left</source>
        <translation>Keine Zeile ist übrig</translation>
    </message>
    <message>
        <source>No list yet.</source>
        <translation>Noch keine Liste.</translation>
    </message>
    <message>
        <source>No live data</source>
        <translation>Keine Live-Daten</translation>
    </message>
    <message>
        <source>No live grant names this badge.</source>
        <translation>Keine gültige Berechtigung nennt diesen Ausweis.</translation>
    </message>
    <message>
        <source>No longer holds</source>
        <translation>Gilt nicht mehr</translation>
    </message>
    <message>
        <source>No match</source>
        <translation>Kein Treffer</translation>
    </message>
    <message>
        <source>No more are sent at once: remove one first.</source>
        <translation>Mehr werden nicht auf einmal gesendet: Entfernen Sie zuerst eine.</translation>
    </message>
    <message>
        <source>No node id: {words}{rest}.</source>
        <translation>Keine Personen-ID: {words}{rest}.</translation>
    </message>
    <message>
        <source>No node is registered to this employee: nobody was burned. Find out who it is.</source>
        <translation>Zu dieser Personalnummer ist keine Person registriert: Niemand wurde gesperrt. Finden Sie heraus, wer es ist.</translation>
    </message>
    <message>
        <source>No node_id: 3 to 64 of A-Z a-z 0-9 . : _ -</source>
        <translation>Keine node_id: 3 bis 64 aus A-Z a-z 0-9 . : _ -</translation>
    </message>
    <message>
        <source>No notice is open.</source>
        <translation>Keine Meldung ist offen.</translation>
    </message>
    <message>
        <source>No palm was laid on a terminal in the last 24 hours.</source>
        <translation>In den letzten 24 Stunden wurde keine Handfläche auf ein Terminal gelegt.</translation>
    </message>
    <message>
        <source>No person is burned by it: only the id itself is denied at the doors.</source>
        <translation>Damit wird keine Person gesperrt: Nur die ID selbst wird an den Türen abgewiesen.</translation>
    </message>
    <message>
        <source>No phase grew. {said}</source>
        <translation>Keine Phase wuchs. {said}</translation>
    </message>
    <message>
        <source>No photograph</source>
        <translation>Kein Foto</translation>
    </message>
    <message>
        <source>No picture is open.</source>
        <translation>Kein Bild ist geöffnet.</translation>
    </message>
    <message>
        <source>No picture. Only the square is sent; a process of its own makes the template and ends, and nothing of what was before the registry&apos;s key came in is stored. The opened picture and the squares are overwritten in this console&apos;s memory after use; copies made to show and send them are freed, not overwritten. The file on the disk stays.</source>
        <translation>Kein Bild. Nur das Quadrat wird gesendet; ein eigener Prozess erstellt das Template und endet, und nichts von dem, was bestand, bevor der Schlüssel des Registers hinzukam, wird gespeichert. Das geöffnete Bild und die Quadrate werden nach Gebrauch im Speicher dieser Konsole überschrieben; Kopien zum Anzeigen und Senden werden freigegeben, nicht überschrieben. Die Datei auf der Platte bleibt.</translation>
    </message>
    <message>
        <source>No place is marked.</source>
        <translation>Keine Stelle ist markiert.</translation>
    </message>
    <message>
        <source>No platform is named: the declaration alone would be made</source>
        <translation>Keine Plattform ist genannt: Nur die Erklärung würde erstellt</translation>
    </message>
    <message>
        <source>No platform is registered</source>
        <translation>Keine Plattform ist registriert</translation>
    </message>
    <message>
        <source>No platform is registered yet.</source>
        <translation>Noch keine Plattform ist registriert.</translation>
    </message>
    <message>
        <source>No platform is registered. Register one: its channel and its address stay the same for every strike.</source>
        <translation>Keine Plattform ist registriert. Registrieren Sie eine: Ihr Kanal und ihre Adresse bleiben für jeden Vorgang gleich.</translation>
    </message>
    <message>
        <source>No program of this machine opens a PDF. Save it, and read it elsewhere.</source>
        <translation>Kein Programm dieses Rechners öffnet ein PDF. Speichern Sie es, und lesen Sie es anderswo.</translation>
    </message>
    <message>
        <source>No quorum covers the entry yet: its proof stands under the log&apos;s own signature alone.</source>
        <translation>Noch deckt kein Quorum den Eintrag ab: Sein Beweis steht allein unter der eigenen Signatur des Protokolls.</translation>
    </message>
    <message>
        <source>No quorum has cosigned a checkpoint beyond this entry yet: so far only the log&apos;s own signature says it.</source>
        <translation>Noch hat kein Quorum einen Checkpoint mitgezeichnet, der über diesen Eintrag hinausreicht: Bisher sagt es nur die eigene Signatur des Protokolls.</translation>
    </message>
    <message>
        <source>No reader is chosen.</source>
        <translation>Kein Lesegerät ist gewählt.</translation>
    </message>
    <message>
        <source>No reader is plugged in. Plug one in: it appears here by itself.</source>
        <translation>Kein Lesegerät ist angesteckt. Stecken Sie eines an: Es erscheint hier von selbst.</translation>
    </message>
    <message>
        <source>No receipt to show.</source>
        <translation>Kein Beleg vorhanden.</translation>
    </message>
    <message>
        <source>No record here knows it: set this card apart.</source>
        <translation>Kein Eintrag hier kennt sie: Legen Sie diese Karte beiseite.</translation>
    </message>
    <message>
        <source>No result</source>
        <translation>Kein Ergebnis</translation>
    </message>
    <message>
        <source>No roster was posted yet.</source>
        <translation>Noch wurde keine Personalliste gesendet.</translation>
    </message>
    <message>
        <source>No row is chosen. Choose one with the arrow keys, or mark several with Space.</source>
        <translation>Keine Zeile ist gewählt. Wählen Sie eine mit den Pfeiltasten, oder markieren Sie mehrere mit der Leertaste.</translation>
    </message>
    <message>
        <source>No row is chosen. Choose one with the arrow keys.</source>
        <translation>Keine Zeile ist gewählt. Wählen Sie eine mit den Pfeiltasten.</translation>
    </message>
    <message>
        <source>No sample</source>
        <translation>Keine Messung</translation>
    </message>
    <message>
        <source>No sample is chosen.</source>
        <translation>Keine Probe ist gewählt.</translation>
    </message>
    <message>
        <source>No scan</source>
        <translation>Keine Prüfung</translation>
    </message>
    <message>
        <source>No scan yet. What was scanned stands here, newest first.</source>
        <translation>Noch keine Prüfung. Was geprüft wurde, steht hier, das Neueste zuerst.</translation>
    </message>
    <message>
        <source>No score has been heard since this page was opened.</source>
        <translation>Seit diese Seite geöffnet wurde, kam noch kein Wert.</translation>
    </message>
    <message>
        <source>No seal matches.</source>
        <translation>Kein Siegel passt.</translation>
    </message>
    <message>
        <source>No secure channel</source>
        <translation>Kein sicherer Kanal</translation>
    </message>
    <message>
        <source>No secure element is in the stock.</source>
        <translation>Kein sicheres Element im Bestand.</translation>
    </message>
    <message>
        <source>No server frame is registered.</source>
        <translation>Kein Server-Frame ist registriert.</translation>
    </message>
    <message>
        <source>No service has stated yet whether this is a training site or one in production.</source>
        <translation>Noch hat kein Dienst erklärt, ob dies eine Übungsumgebung oder ein produktiver Standort ist.</translation>
    </message>
    <message>
        <source>No service is connected.</source>
        <translation>Kein Dienst ist verbunden.</translation>
    </message>
    <message>
        <source>No sound for it on this console; again: unmute.</source>
        <translation>Kein Ton dafür an dieser Konsole; noch einmal: wieder laut.</translation>
    </message>
    <message>
        <source>No strike names it from then on. Notices by mail that are on their way still go; calls to it end as failed, since its token goes with it.</source>
        <translation>Ab dann nennt sie kein Vorgang mehr. Meldungen per E-Mail, die unterwegs sind, gehen noch hinaus; Aufrufe an sie schlagen fehl, da ihr Token mit ihr gelöscht wird.</translation>
    </message>
    <message>
        <source>No target is like that.</source>
        <translation>Kein Ziel entspricht dem.</translation>
    </message>
    <message>
        <source>No target is open</source>
        <translation>Kein Ziel ist offen</translation>
    </message>
    <message>
        <source>No terminal is registered yet.</source>
        <translation>Noch ist kein Terminal registriert.</translation>
    </message>
    <message>
        <source>No trace</source>
        <translation>Keine Spur</translation>
    </message>
    <message>
        <source>No trace of a manipulation, which does not prove that there is none.</source>
        <translation>Keine Spur einer Manipulation, was nicht beweist, dass es keine gibt.</translation>
    </message>
    <message>
        <source>No unit is registered.</source>
        <translation>Keine Einheit ist registriert.</translation>
    </message>
    <message>
        <source>No verdict</source>
        <translation>Kein Urteil</translation>
    </message>
    <message>
        <source>No voice enrolled</source>
        <translation>Keine Stimme erfasst</translation>
    </message>
    <message>
        <source>No voice of this person is enrolled, so nothing can be compared yet. Change to Enrol (Ctrl+Shift+M) and let them speak three times.</source>
        <translation>Von dieser Person ist keine Stimme erfasst, daher lässt sich noch nichts vergleichen. Wechseln Sie zu „Erfassen“ (Strg+Umschalt+M) und lassen Sie sie dreimal sprechen.</translation>
    </message>
    <message>
        <source>No: erased {at}</source>
        <translation>Nein: gelöscht {at}</translation>
    </message>
    <message>
        <source>Nobody</source>
        <translation>Niemand</translation>
    </message>
    <message>
        <source>Nobody and nothing is found</source>
        <translation>Niemand und nichts gefunden</translation>
    </message>
    <message>
        <source>Nobody asks for a second key.</source>
        <translation>Niemand fragt nach einem zweiten Schlüssel.</translation>
    </message>
    <message>
        <source>Nobody but the service itself acted in this span.</source>
        <translation>In diesem Zeitraum handelte niemand außer dem Dienst selbst.</translation>
    </message>
    <message>
        <source>Nobody can look up now who has it: it is denied at the doors as it was typed.</source>
        <translation>Niemand kann jetzt nachsehen, wem sie gehört: Sie wird an den Türen abgewiesen, wie sie eingegeben wurde.</translation>
    </message>
    <message>
        <source>Nobody else could have its secret: it approves what others ask for.</source>
        <translation>Niemand sonst könnte sein Geheimnis haben: Er gibt frei, was andere anfragen.</translation>
    </message>
    <message>
        <source>Nobody else could sign in as this operator: it approves what others ask for.</source>
        <translation>Niemand sonst könnte sich als dieser Bediener anmelden: Er gibt frei, was andere anfragen.</translation>
    </message>
    <message>
        <source>Nobody else has a key yet.</source>
        <translation>Noch niemand sonst hat einen Schlüssel.</translation>
    </message>
    <message>
        <source>Nobody has taken it</source>
        <translation>Niemand hat übernommen</translation>
    </message>
    <message>
        <source>Nobody has taken it.</source>
        <translation>Niemand hat es übernommen.</translation>
    </message>
    <message>
        <source>Nobody has this id. Choose a person above, or tick the box if the id itself is to be denied.</source>
        <translation>Niemand hat diese ID. Wählen Sie oben eine Person, oder kreuzen Sie das Kästchen an, wenn die ID selbst abgewiesen werden soll.</translation>
    </message>
    <message>
        <source>Nobody here knows when it ends: end it there.</source>
        <translation>Niemand hier weiß, wann es endet: Beenden Sie es dort.</translation>
    </message>
    <message>
        <source>Nobody is called so.</source>
        <translation>Niemand heißt so.</translation>
    </message>
    <message>
        <source>Nobody is chosen</source>
        <translation>Niemand ist gewählt</translation>
    </message>
    <message>
        <source>Nobody is contained.</source>
        <translation>Niemand ist festgesetzt.</translation>
    </message>
    <message>
        <source>Nobody is ever burned by a roster: look at each and decide.{listed}</source>
        <translation>Eine Personalliste sperrt nie jemanden: Sehen Sie jede Abweichung an und entscheiden Sie.{listed}</translation>
    </message>
    <message>
        <source>Nobody is next</source>
        <translation>Niemand ist der Nächste</translation>
    </message>
    <message>
        <source>Nobody is registered by this id now: how it stood then is not known.</source>
        <translation>Unter dieser ID ist jetzt niemand registriert: Der damalige Status ist nicht bekannt.</translation>
    </message>
    <message>
        <source>Nobody is registered.</source>
        <translation>Niemand ist registriert.</translation>
    </message>
    <message>
        <source>Nobody is signed in</source>
        <translation>Niemand ist angemeldet</translation>
    </message>
    <message>
        <source>Nobody is signed in at this desk: nothing was sent.</source>
        <translation>An diesem Arbeitsplatz ist niemand angemeldet: Nichts wurde gesendet.</translation>
    </message>
    <message>
        <source>Nobody is signed in.</source>
        <translation>Niemand ist angemeldet.</translation>
    </message>
    <message>
        <source>Nobody known</source>
        <translation>Niemand Bekanntes</translation>
    </message>
    <message>
        <source>Nobody knows how the site stands now.</source>
        <translation>Niemand weiß, wie es um den Standort jetzt steht.</translation>
    </message>
    <message>
        <source>Nobody knows the secret of a key whose answer was lost: if it stands in the list now, revoke it.</source>
        <translation>Niemand kennt das Geheimnis eines Schlüssels, dessen Antwort verloren ging: Steht er jetzt in der Liste, widerrufen Sie ihn.</translation>
    </message>
    <message>
        <source>Nobody knows what is open.</source>
        <translation>Niemand weiß, was offen ist.</translation>
    </message>
    <message>
        <source>Nobody knows what is open: the service does not say.</source>
        <translation>Niemand weiß, was offen ist: Der Dienst sagt es nicht.</translation>
    </message>
    <message>
        <source>Nobody knows yet what terminal this console&apos;s key is: show its code once, or choose a registered one.</source>
        <translation>Noch weiß niemand, zu welchem Terminal der Schlüssel dieser Konsole gehört: Zeigen Sie dessen Code einmal, oder wählen Sie ein registriertes Terminal.</translation>
    </message>
    <message>
        <source>Nobody knows.</source>
        <translation>Das weiß niemand.</translation>
    </message>
    <message>
        <source>Nobody learns how close a possible clone came.</source>
        <translation>Niemand erfährt, wie nahe ein möglicher Klon kam.</translation>
    </message>
    <message>
        <source>Nobody of this id is registered.</source>
        <translation>Unter dieser ID ist niemand registriert.</translation>
    </message>
    <message>
        <source>Nobody signed in at the browser in time. Begin again.</source>
        <translation>Niemand hat sich rechtzeitig im Browser angemeldet. Beginnen Sie von vorn.</translation>
    </message>
    <message>
        <source>Nobody took it.</source>
        <translation>Niemand hat übernommen.</translation>
    </message>
    <message>
        <source>Nobody touched this desk for {minutes:.0f} min.</source>
        <translation>{minutes:.0f} min lang hat niemand diesen Arbeitsplatz berührt.</translation>
    </message>
    <message>
        <source>Nobody was at a door yet.</source>
        <translation>Noch war niemand an einer Tür.</translation>
    </message>
    <message>
        <source>Nobody was burned in this span.</source>
        <translation>In diesem Zeitraum wurde niemand gesperrt.</translation>
    </message>
    <message>
        <source>Nobody was found. Why is said in the audit log alone.</source>
        <translation>Niemand wurde gefunden. Warum, sagt allein das Audit-Protokoll.</translation>
    </message>
    <message>
        <source>Nobody without a card is found</source>
        <translation>Niemand ohne Karte gefunden</translation>
    </message>
    <message>
        <source>Node</source>
        <comment>frame</comment>
        <translation>Frame</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>Personen-ID</translation>
    </message>
    <message>
        <source>Node id</source>
        <comment>frame</comment>
        <translation>Knoten-ID</translation>
    </message>
    <message>
        <source>Node id</source>
        <translation>Personen-ID</translation>
    </message>
    <message>
        <source>Node ids</source>
        <translation>Personen-IDs</translation>
    </message>
    <message>
        <source>Node, unit, request and payload are what the leaf commits to.</source>
        <translation>Personen-ID, Einheit, Anfrage und Nutzdaten sind das, worauf sich das Blatt festlegt.</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>Noise patterns</source>
        <translation>Rauschmuster</translation>
    </message>
    <message>
        <source>None</source>
        <comment>token</comment>
        <translation>Keines</translation>
    </message>
    <message>
        <source>None</source>
        <comment>secret</comment>
        <translation>Keines</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>None ends within {days} days</source>
        <translation>Keines endet binnen {days} Tagen</translation>
    </message>
    <message>
        <source>None is chosen</source>
        <translation>Keiner gewählt</translation>
    </message>
    <message>
        <source>None is registered</source>
        <translation>Keine registriert</translation>
    </message>
    <message>
        <source>None is ticked: every reader takes part, also one that is plugged in later.</source>
        <translation>Keines angekreuzt: Alle Lesegeräte nehmen teil, auch spätere.</translation>
    </message>
    <message>
        <source>None of these discharges is carried out. Do it only when HR has said, by a way that you know, that none of them is real.</source>
        <translation>Keiner dieser Austritte wird vollzogen. Tun Sie das nur, wenn die Personalabteilung auf einem Ihnen bekannten Weg gesagt hat, dass keiner davon echt ist.</translation>
    </message>
    <message>
        <source>None said</source>
        <translation>Keiner genannt</translation>
    </message>
    <message>
        <source>None stood beside it</source>
        <translation>Keine stand daneben</translation>
    </message>
    <message>
        <source>None within {days:.0f} days</source>
        <translation>Keines binnen {days:.0f} Tagen</translation>
    </message>
    <message>
        <source>None yet</source>
        <translation>Noch keine</translation>
    </message>
    <message>
        <source>None: 1 row was erased</source>
        <translation>Keine: 1 Zeile wurde gelöscht</translation>
    </message>
    <message>
        <source>None: every active node names its employee</source>
        <translation>Keine: Jede aktive Personen-ID nennt ihre Personalnummer</translation>
    </message>
    <message>
        <source>None: {count} rows were erased</source>
        <translation>Keine: {count} Zeilen wurden gelöscht</translation>
    </message>
    <message>
        <source>North tower</source>
        <translation>Nordturm</translation>
    </message>
    <message>
        <source>Not PIV</source>
        <translation>Kein PIV</translation>
    </message>
    <message>
        <source>Not a PIV card (ATR {atr})</source>
        <translation>Keine PIV-Karte (ATR {atr})</translation>
    </message>
    <message>
        <source>Not accepted</source>
        <translation>Nicht angenommen</translation>
    </message>
    <message>
        <source>Not applicable</source>
        <translation>Nicht anwendbar</translation>
    </message>
    <message>
        <source>Not asked</source>
        <translation>Nicht abgefragt</translation>
    </message>
    <message>
        <source>Not at all: it ends now</source>
        <translation>Gar nicht: Es endet jetzt</translation>
    </message>
    <message>
        <source>Not at every door yet</source>
        <translation>Noch nicht an jeder Tür</translation>
    </message>
    <message>
        <source>Not by chance</source>
        <translation>Kein Zufall</translation>
    </message>
    <message>
        <source>Not checked</source>
        <translation>Nicht geprüft</translation>
    </message>
    <message>
        <source>Not checked yet</source>
        <translation>Noch nicht geprüft</translation>
    </message>
    <message>
        <source>Not confirmed</source>
        <translation>Nicht bestätigt</translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>Nicht verbunden</translation>
    </message>
    <message>
        <source>Not current</source>
        <translation>Nicht aktuell</translation>
    </message>
    <message>
        <source>Not employed</source>
        <translation>Nicht beschäftigt</translation>
    </message>
    <message>
        <source>Not enrolled</source>
        <translation>Nicht erfasst</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Nicht gefunden</translation>
    </message>
    <message>
        <source>Not found: {what}.</source>
        <translation>Nicht gefunden: {what}.</translation>
    </message>
    <message>
        <source>Not given</source>
        <translation>Nicht erteilt</translation>
    </message>
    <message>
        <source>Not given after all</source>
        <translation>Doch nicht ausgegeben</translation>
    </message>
    <message>
        <source>Not granted here</source>
        <translation>Hier nicht berechtigt</translation>
    </message>
    <message>
        <source>Not heard of now, was: {words}</source>
        <translation>Jetzt nicht zu hören, war: {words}</translation>
    </message>
    <message>
        <source>Not in the log yet</source>
        <translation>Noch nicht im Protokoll</translation>
    </message>
    <message>
        <source>Not judged</source>
        <translation>Nicht beurteilt</translation>
    </message>
    <message>
        <source>Not judged yet.</source>
        <translation>Noch nicht beurteilt.</translation>
    </message>
    <message>
        <source>Not judged.</source>
        <translation>Nicht beurteilt.</translation>
    </message>
    <message>
        <source>Not known</source>
        <translation>Nicht bekannt</translation>
    </message>
    <message>
        <source>Not known now</source>
        <translation>Jetzt nicht bekannt</translation>
    </message>
    <message>
        <source>Not known on this site: printed as your reference</source>
        <translation>An diesem Standort nicht bekannt: gedruckt als Ihre Referenz</translation>
    </message>
    <message>
        <source>Not known yet</source>
        <translation>Noch nicht bekannt</translation>
    </message>
    <message>
        <source>Not let in at a door since {time}, when the doors&apos; record begins.</source>
        <translation>An keiner Tür eingelassen seit {time}, dem Beginn der Türaufzeichnung.</translation>
    </message>
    <message>
        <source>Not let in at a door.</source>
        <translation>An keiner Tür eingelassen.</translation>
    </message>
    <message>
        <source>Not let in at {reader}</source>
        <translation>Nicht eingelassen an {reader}</translation>
    </message>
    <message>
        <source>Not live</source>
        <translation>Nicht live</translation>
    </message>
    <message>
        <source>Not looked up</source>
        <translation>Nicht nachgeschlagen</translation>
    </message>
    <message>
        <source>Not measured</source>
        <translation>Nicht gemessen</translation>
    </message>
    <message>
        <source>Not met</source>
        <translation>Nicht erfüllt</translation>
    </message>
    <message>
        <source>Not needed</source>
        <translation>Nicht nötig</translation>
    </message>
    <message>
        <source>Not plugged in</source>
        <translation>Nicht angeschlossen</translation>
    </message>
    <message>
        <source>Not proven yet</source>
        <translation>Noch nicht bewiesen</translation>
    </message>
    <message>
        <source>Not read yet</source>
        <translation>Noch nicht gelesen</translation>
    </message>
    <message>
        <source>Not registered any more</source>
        <translation>Nicht mehr registriert</translation>
    </message>
    <message>
        <source>Not reported</source>
        <translation>Nicht gemeldet</translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>Nicht gespeichert</translation>
    </message>
    <message>
        <source>Not set up</source>
        <translation>Nicht eingerichtet</translation>
    </message>
    <message>
        <source>Not shown to your roles.</source>
        <translation>Wird Ihren Rollen nicht gezeigt.</translation>
    </message>
    <message>
        <source>Not stored</source>
        <translation>Nicht gespeichert</translation>
    </message>
    <message>
        <source>Not stored yet</source>
        <translation>Noch nicht gespeichert</translation>
    </message>
    <message>
        <source>Not taken</source>
        <translation>Nicht übernommen</translation>
    </message>
    <message>
        <source>Not there yet</source>
        <translation>Noch nicht vorhanden</translation>
    </message>
    <message>
        <source>Not told</source>
        <translation>Nicht mitgeteilt</translation>
    </message>
    <message>
        <source>Not tried</source>
        <translation>Nicht erprobt</translation>
    </message>
    <message>
        <source>Not trusted</source>
        <translation>Nicht vertrauenswürdig</translation>
    </message>
    <message>
        <source>Not used: this site has simulated readers</source>
        <translation>Nicht benutzt: Dieser Standort hat simulierte Lesegeräte</translation>
    </message>
    <message>
        <source>Not within the hours of the schedule.</source>
        <translation>Außerhalb der Zeiten des Zeitplans.</translation>
    </message>
    <message>
        <source>Not written</source>
        <translation>Nicht geschrieben</translation>
    </message>
    <message>
        <source>Not yet</source>
        <translation>Noch nicht</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Note of the owner</source>
        <translation>Notiz des Zuständigen</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>Nothing in this time.</source>
        <translation>Nichts in dieser Zeit.</translation>
    </message>
    <message>
        <source>Nothing is burned yet: another Citadel key must approve within 15 minutes, and then one of the two burns the list. One person alone needs no second key.</source>
        <translation>Noch wird nichts gesperrt: Ein anderer Citadel-Schlüssel muss binnen 15 Minuten freigeben, dann sperrt einer der beiden die Liste. Eine einzelne Person braucht keinen zweiten Schlüssel.</translation>
    </message>
    <message>
        <source>Nothing is folded</source>
        <translation>Nichts ist eingeklappt</translation>
    </message>
    <message>
        <source>Nothing is given yet</source>
        <translation>Noch nichts angegeben</translation>
    </message>
    <message>
        <source>Nothing is held. When a source discharges more people than its limit, they are held here instead of burned: a stolen HR secret must not lock everybody out.</source>
        <translation>Nichts wird gehalten. Meldet eine Quelle mehr Austritte, als ihre Grenze zulässt, werden sie hier gehalten statt gesperrt: Ein gestohlenes Geheimnis darf nicht alle aussperren.</translation>
    </message>
    <message>
        <source>Nothing is here.</source>
        <translation>Hier ist nichts.</translation>
    </message>
    <message>
        <source>Nothing is known of it yet.</source>
        <translation>Davon ist noch nichts bekannt.</translation>
    </message>
    <message>
        <source>Nothing is known to outlive this burn.</source>
        <translation>Nichts ist bekannt, das diese Sperrung überdauert.</translation>
    </message>
    <message>
        <source>Nothing is lost: cards were looked at again. If it goes on, change the reader&apos;s cable or port.</source>
        <translation>Nichts ist verloren: Die Karten wurden neu untersucht. Tauschen Sie Kabel oder Anschluss des Lesegeräts, wenn es andauert.</translation>
    </message>
    <message>
        <source>Nothing is open.</source>
        <translation>Nichts ist offen.</translation>
    </message>
    <message>
        <source>Nothing is queued.</source>
        <translation>Nichts ist eingereiht.</translation>
    </message>
    <message>
        <source>Nothing is resolved yet.</source>
        <translation>Noch ist nichts erledigt.</translation>
    </message>
    <message>
        <source>Nothing is seen</source>
        <translation>Nichts zu erkennen</translation>
    </message>
    <message>
        <source>Nothing is wrong</source>
        <translation>Nichts zu beanstanden</translation>
    </message>
    <message>
        <source>Nothing leaves before this is supplied: {names}.</source>
        <translation>Nichts geht hinaus, bevor dies nachgereicht ist: {names}.</translation>
    </message>
    <message>
        <source>Nothing leaves until a person releases it, or supplies what is missing.</source>
        <translation>Nichts geht hinaus, bis eine Person freigibt oder Fehlendes nachreicht.</translation>
    </message>
    <message>
        <source>Nothing to compare</source>
        <translation>Nichts zu vergleichen</translation>
    </message>
    <message>
        <source>Nothing to do</source>
        <translation>Nichts zu tun</translation>
    </message>
    <message>
        <source>Nothing waits</source>
        <translation>Nichts wartet</translation>
    </message>
    <message>
        <source>Nothing waits for a person.</source>
        <translation>Nichts wartet auf einen Menschen.</translation>
    </message>
    <message>
        <source>Nothing waits for you.</source>
        <translation>Nichts wartet auf Sie.</translation>
    </message>
    <message>
        <source>Nothing was compared: the frame itself was refused.</source>
        <translation>Nichts wurde verglichen: Das Frame selbst wurde abgelehnt.</translation>
    </message>
    <message>
        <source>Nothing was copied yet. Esc again closes it, and it can never be shown again.</source>
        <translation>Noch wurde nichts kopiert. Noch einmal Esc schließt es, und es kann nie wieder gezeigt werden.</translation>
    </message>
    <message>
        <source>Nothing was done</source>
        <translation>Nichts wurde getan</translation>
    </message>
    <message>
        <source>Nothing was heard yet.</source>
        <translation>Noch war nichts zu hören.</translation>
    </message>
    <message>
        <source>Nothing was measured in the last minute</source>
        <translation>In der letzten Minute nichts gemessen</translation>
    </message>
    <message>
        <source>Nothing was measured in this span.</source>
        <translation>In diesem Zeitraum wurde nichts gemessen.</translation>
    </message>
    <message>
        <source>Nothing was measured of {name} in it.</source>
        <translation>Von {name} wurde darin nichts gemessen.</translation>
    </message>
    <message>
        <source>Nothing was read yet.</source>
        <translation>Noch nichts gelesen.</translation>
    </message>
    <message>
        <source>Nothing was said yet.</source>
        <translation>Noch wurde nichts gesagt.</translation>
    </message>
    <message>
        <source>Nothing was written on it yet.</source>
        <translation>Noch nichts darauf geschrieben.</translation>
    </message>
    <message>
        <source>Nothing was written on it.</source>
        <translation>Nichts wurde darauf geschrieben.</translation>
    </message>
    <message>
        <source>Nothing yet</source>
        <translation>Noch nichts</translation>
    </message>
    <message>
        <source>Notices</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>Notices of all strikes, most urgent first</source>
        <translation>Meldungen aller Vorgänge, dringendste zuerst</translation>
    </message>
    <message>
        <source>Notices of this strike</source>
        <translation>Meldungen dieses Vorgangs</translation>
    </message>
    <message>
        <source>Notices that have come to their end stand here.</source>
        <translation>Hier stehen abgeschlossene Meldungen.</translation>
    </message>
    <message>
        <source>Now {standing}{by_words}</source>
        <translation>Status jetzt „{standing}“{by_words}</translation>
    </message>
    <message>
        <source>Now: {word}</source>
        <translation>Jetzt: {word}</translation>
    </message>
    <message>
        <source>Nudity</source>
        <translation>Nacktheit</translation>
    </message>
    <message>
        <source>Number of the platform, if it gave one</source>
        <translation>Nummer der Plattform, falls sie eine nannte</translation>
    </message>
    <message>
        <source>Number, if any</source>
        <translation>Nummer, falls vorhanden</translation>
    </message>
    <message>
        <source>Number, time, actor, action and outcome are what the leaf says.</source>
        <translation>Nummer, Zeit, Akteur, Aktion und Ergebnis sind, was das Blatt sagt.</translation>
    </message>
    <message>
        <source>Number, time, actor, action or outcome shown is not what the leaf says.</source>
        <translation>Gezeigte Nummer, Zeit, Akteur, Aktion oder Ergebnis weichen von dem ab, was das Blatt sagt.</translation>
    </message>
    <message>
        <source>OAuth revocation</source>
        <translation>OAuth-Widerruf</translation>
    </message>
    <message>
        <source>OAuth sessions</source>
        <translation>OAuth-Sitzungen</translation>
    </message>
    <message>
        <source>OK</source>
        <translation>OK</translation>
    </message>
    <message>
        <source>ON</source>
        <translation>Am</translation>
    </message>
    <message>
        <source>OPEN</source>
        <translation>Offen</translation>
    </message>
    <message>
        <source>OPEN FOR</source>
        <translation>Offen seit</translation>
    </message>
    <message>
        <source>OUTCOME</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>OVER THE ROOM</source>
        <translation>Über Raumgeräusch</translation>
    </message>
    <message>
        <source>OWNER</source>
        <translation>Zuständig</translation>
    </message>
    <message>
        <source>Object</source>
        <translation>Objekt</translation>
    </message>
    <message>
        <source>Of 1 handshake</source>
        <translation>Von 1 Handshake</translation>
    </message>
    <message>
        <source>Of an old model</source>
        <translation>Aus altem Modell</translation>
    </message>
    <message>
        <source>Of lines {first:,} to {last:,} none was taken.</source>
        <translation>Aus den Zeilen {first:,} bis {last:,} wurde nichts übernommen.</translation>
    </message>
    <message>
        <source>Of no use</source>
        <translation>Ohne Nutzen</translation>
    </message>
    <message>
        <source>Of the chosen frame, or of all; Ctrl+Shift+L brings the frames back.</source>
        <translation>Des gewählten Frames oder aller; Strg+Umschalt+L bringt die Frames zurück.</translation>
    </message>
    <message>
        <source>Of the last 100 repaints.</source>
        <translation>Der letzten 100 Bildaufbauten.</translation>
    </message>
    <message>
        <source>Of the last handshake, from ClientHello to the first byte of the server (handshake_latency).</source>
        <translation>Beim letzten Handshake, von ClientHello bis zum ersten Byte des Servers (handshake_latency).</translation>
    </message>
    <message>
        <source>Of the next step, early</source>
        <translation>Vom nächsten Schritt, verfrüht</translation>
    </message>
    <message>
        <source>Of the other {count} frames {moved} changed, too.</source>
        <translation>Von den anderen {count} Frames änderten sich auch {moved}.</translation>
    </message>
    <message>
        <source>Of the person who is chosen: JPEG or PNG, several at once.</source>
        <translation>Von der gewählten Person: JPEG oder PNG, mehrere auf einmal.</translation>
    </message>
    <message>
        <source>Of the service against this machine, lowest round trip.</source>
        <translation>Des Dienstes gegen diesen Rechner, bei kürzester Laufzeit.</translation>
    </message>
    <message>
        <source>Of this step</source>
        <translation>Von diesem Schritt</translation>
    </message>
    <message>
        <source>Of {burns}, {given_up:,} ended with a door that was given up.</source>
        <translation>{burns}, davon {given_up:,} mit einer aufgegebenen Tür beendet.</translation>
    </message>
    <message>
        <source>Of {burns}, {late:,} took longer than the goal of {goal} and {given_up:,} ended with a door that was given up.</source>
        <translation>{burns}, davon {late:,} länger als das Ziel von {goal} und {given_up:,} mit einer aufgegebenen Tür beendet.</translation>
    </message>
    <message>
        <source>Of {burns}, {late:,} took longer than the goal of {goal}.</source>
        <translation>{burns}, davon {late:,} länger als das Ziel von {goal}.</translation>
    </message>
    <message>
        <source>Of {count} frames nothing is heard now.</source>
        <translation>Von {count} Frames ist jetzt nichts zu hören.</translation>
    </message>
    <message>
        <source>Of {count} handshakes</source>
        <translation>Von {count} Handshakes</translation>
    </message>
    <message>
        <source>Of {count} it is not known.</source>
        <translation>Von {count} ist es nicht bekannt.</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Office</source>
        <translation>Büro</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Offline</translation>
    </message>
    <message>
        <source>Offline it may let people in until {until}, by whichever bundle it has: a burn counts it as exposed until then, or until it has taken a bundle made after the burn and its acknowledgement is here.</source>
        <translation>Offline darf es bis {until} Personen einlassen, gleich welches Paket es hat: Eine Sperrung zählt es bis dahin als gefährdet, oder bis es ein nach der Sperrung erstelltes Paket übernommen hat und seine Bestätigung hier ist.</translation>
    </message>
    <message>
        <source>Offline: waits</source>
        <translation>Offline: wartet</translation>
    </message>
    <message>
        <source>Old card</source>
        <translation>Alte Karte</translation>
    </message>
    <message>
        <source>Older 200</source>
        <translation>200 ältere</translation>
    </message>
    <message>
        <source>Older batches</source>
        <translation>Ältere Stapel</translation>
    </message>
    <message>
        <source>Older provisionings</source>
        <translation>Ältere Personalisierungen</translation>
    </message>
    <message>
        <source>Older rows</source>
        <translation>Ältere Zeilen</translation>
    </message>
    <message>
        <source>Older than the rehire</source>
        <translation>Älter als die Wiedereinstellung</translation>
    </message>
    <message>
        <source>On a day that I name</source>
        <translation>An einem Tag, den ich nenne</translation>
    </message>
    <message>
        <source>On a training site the next training operator; else the desk is locked for another one.</source>
        <translation>In einer Übungsumgebung der nächste Übungsbediener; sonst wird der Arbeitsplatz für einen anderen verriegelt.</translation>
    </message>
    <message>
        <source>On terminal</source>
        <translation>Auf Terminal</translation>
    </message>
    <message>
        <source>On the printer for badges; Settings and the print system choose it.</source>
        <translation>Auf dem Ausweisdrucker; Einstellungen und Drucksystem bestimmen ihn.</translation>
    </message>
    <message>
        <source>On the way, or more than we could keep.</source>
        <translation>Unterwegs, oder mehr als zu halten war.</translation>
    </message>
    <message>
        <source>On this console only; the row stays until the fact has changed. Again: unmute.</source>
        <translation>Nur an dieser Konsole; die Zeile bleibt, bis sich der Sachverhalt geändert hat. Noch einmal: wieder laut.</translation>
    </message>
    <message>
        <source>Once HR signs with the new one.</source>
        <translation>Sobald mit dem neuen signiert wird.</translation>
    </message>
    <message>
        <source>Once a list has begun, who is next stands here large: each card that is put in takes the next line.</source>
        <translation>Sobald eine Liste begonnen hat, steht hier groß, wer an der Reihe ist: Jede eingelegte Karte nimmt die nächste Zeile.</translation>
    </message>
    <message>
        <source>Once more, with eight seconds of speech. Refused again: use a card or another check.</source>
        <translation>Noch einmal, mit acht Sekunden Sprache. Wird es wieder abgelehnt: Nehmen Sie eine Karte oder eine andere Prüfung.</translation>
    </message>
    <message>
        <source>One PDF a card, into a folder. Each PIN is given out once; afterwards it exists nowhere else.</source>
        <translation>Ein PDF je Karte, in einen Ordner. Jede PIN wird einmal ausgegeben; danach gibt es sie nirgends sonst.</translation>
    </message>
    <message>
        <source>One PDF for the holder, made once. The PIN never shows here.</source>
        <translation>Ein PDF für den Inhaber, einmal erstellt. Die PIN erscheint hier nie.</translation>
    </message>
    <message>
        <source>One PDF, made once when the card is written. The PIN never shows here.</source>
        <translation>Ein PDF, einmal erstellt, wenn die Karte geschrieben ist. Die PIN erscheint hier nie.</translation>
    </message>
    <message>
        <source>One a line: the directory&apos;s id, a space, and the account as the directory names it.</source>
        <translation>Eins je Zeile: die ID des Verzeichnisses, ein Leerzeichen und das Konto, wie das Verzeichnis es nennt.</translation>
    </message>
    <message>
        <source>One card of the person is lost</source>
        <translation>Eine Karte der Person ist verloren</translation>
    </message>
    <message>
        <source>One hour more</source>
        <translation>Noch eine Stunde</translation>
    </message>
    <message>
        <source>One label a card, for its envelope.</source>
        <translation>Ein Etikett je Karte, für ihren Umschlag.</translation>
    </message>
    <message>
        <source>One line for each finished card, with the digests of its certificates and of its signed receipt.</source>
        <translation>Eine Zeile je fertiger Karte, mit den Prüfsummen ihrer Zertifikate und ihres signierten Belegs.</translation>
    </message>
    <message>
        <source>One line is wrong; nothing was sent. Mend the file and choose it again.</source>
        <translation>Eine Zeile ist falsch; nichts wurde gesendet. Korrigieren Sie die Datei und wählen Sie sie erneut.</translation>
    </message>
    <message>
        <source>One person can always be burned with one key. A list of people, or taking a burn back, is asked for here by one Citadel key and approved by another one, within 15 minutes.</source>
        <translation>Eine Person lässt sich immer mit einem Schlüssel sperren. Eine Liste von Personen oder die Rücknahme einer Sperrung beantragt hier ein Citadel-Schlüssel, und ein anderer gibt sie binnen 15 Minuten frei.</translation>
    </message>
    <message>
        <source>One signed zip: declaration, notices, law as used, evidence, proofs, verifier.</source>
        <translation>Ein signiertes ZIP: Erklärung, Meldungen, Gesetz in der angewandten Fassung, Belege, Beweise, Prüfprogramm.</translation>
    </message>
    <message>
        <source>One signed zip: order, proofs of every target, manifests, report, verifier.</source>
        <translation>Ein signiertes ZIP: Auftrag, Beweise jedes Ziels, Manifeste, Bericht, Prüfprogramm.</translation>
    </message>
    <message>
        <source>One signed zip: the seal, its parts, the verifier, and how to verify.</source>
        <translation>Ein signiertes Zip: das Siegel, seine Teile, das Prüfprogramm und die Anleitung.</translation>
    </message>
    <message>
        <source>One step old</source>
        <translation>Einen Schritt alt</translation>
    </message>
    <message>
        <source>One template of 512 numbers, made with the registry&apos;s secret key and sealed under another one. It can be renewed without the person. A burn or an erasure removes it here. {alone}</source>
        <translation>Ein Template aus 512 Zahlen, mit dem geheimen Schlüssel des Registers erstellt und unter einem anderen versiegelt. Es lässt sich ohne Zutun der Person erneuern. Eine Sperrung oder Löschung entfernt es hier. {alone}</translation>
    </message>
    <message>
        <source>Online</source>
        <translation>Online</translation>
    </message>
    <message>
        <source>Only 9 to 20 people were searched. Their scores set the limit so high that right hands are missed: enrol more people, or use a card. </source>
        <translation>Nur 9 bis 20 Personen wurden durchsucht. Ihre Werte setzen die Grenze so hoch, dass richtige Hände verfehlt werden: Erfassen Sie mehr Personen, oder nehmen Sie eine Karte. </translation>
    </message>
    <message>
        <source>Only EMPLOYEE_DISCHARGE acts; this was noted, and nothing was done.</source>
        <translation>Nur EMPLOYEE_DISCHARGE wirkt; dies wurde vermerkt, und nichts wurde getan.</translation>
    </message>
    <message>
        <source>Only a card is lost?</source>
        <translation>Nur eine Karte verloren?</translation>
    </message>
    <message>
        <source>Only a card is lost? This ends it for good. {name} is not burned and keeps all other access.</source>
        <translation>Nur eine Karte ist verloren? Dies beendet sie endgültig. {name} wird nicht gesperrt und behält allen anderen Zugang.</translation>
    </message>
    <message>
        <source>Only a registry without templates can go; its key is destroyed with it.</source>
        <translation>Nur ein Register ohne Templates kann gelöscht werden; sein Schlüssel wird mit ihm vernichtet.</translation>
    </message>
    <message>
        <source>Only differences</source>
        <translation>Nur Abweichungen</translation>
    </message>
    <message>
        <source>Only differences from the golden trace</source>
        <translation>Nur Abweichungen vom Referenz-Trace</translation>
    </message>
    <message>
        <source>Only for a terminal that gets bundles</source>
        <translation>Nur für ein Terminal, das Pakete erhält</translation>
    </message>
    <message>
        <source>Only seals of this person</source>
        <translation>Nur Siegel dieser Person</translation>
    </message>
    <message>
        <source>Only this node</source>
        <translation>Nur diese Person</translation>
    </message>
    <message>
        <source>Only what waits</source>
        <translation>Nur Wartendes</translation>
    </message>
    <message>
        <source>Only what waits, or everything</source>
        <translation>Nur Wartendes oder alles</translation>
    </message>
    <message>
        <source>Only {level:.0f} dB over the room: go nearer to the microphone.</source>
        <translation>Nur {level:.0f} dB über dem Raumgeräusch: Gehen Sie näher an das Mikrofon.</translation>
    </message>
    <message>
        <source>Only {seconds:.1f} s of speech: speak four seconds or more.</source>
        <translation>Nur {seconds:.1f} s Sprache: Sprechen Sie vier Sekunden oder länger.</translation>
    </message>
    <message>
        <source>Opacity</source>
        <translation>Deckkraft</translation>
    </message>
    <message>
        <source>Opacity of the heatmap</source>
        <translation>Deckkraft der Heatmap</translation>
    </message>
    <message>
        <source>Open</source>
        <comment>notices</comment>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open</source>
        <comment>state</comment>
        <translation>Offen</translation>
    </message>
    <message>
        <source>Open a burn first: choose a burned subject, or Enter on a row of Burns.</source>
        <translation>Öffnen Sie zuerst eine Sperrung: eine gesperrte Person wählen, oder Eingabe auf einer Zeile von „Sperrungen“.</translation>
    </message>
    <message>
        <source>Open a card under Result or History to ask for it; select a request to decide it.</source>
        <translation>Öffnen Sie eine Karte unter „Ergebnis“ oder „Verlauf“, um zu beantragen; wählen Sie einen Antrag, um über ihn zu entscheiden.</translation>
    </message>
    <message>
        <source>Open a recording</source>
        <translation>Aufnahme öffnen</translation>
    </message>
    <message>
        <source>Open a recording of the person or drop one. What was found, why, and what to do next appear here.</source>
        <translation>Öffnen Sie eine Aufnahme der Person oder legen Sie eine ab. Was gefunden wurde, warum, und was als Nächstes zu tun ist, erscheint hier.</translation>
    </message>
    <message>
        <source>Open alarms</source>
        <translation>Offene Alarme</translation>
    </message>
    <message>
        <source>Open burn</source>
        <translation>Sperrung öffnen</translation>
    </message>
    <message>
        <source>Open burns</source>
        <translation>Offene Sperrungen</translation>
    </message>
    <message>
        <source>Open doors</source>
        <translation>Türen öffnen</translation>
    </message>
    <message>
        <source>Open doors for the person</source>
        <translation>Türen für die Person öffnen</translation>
    </message>
    <message>
        <source>Open doors for {name}</source>
        <translation>Türen öffnen für {name}</translation>
    </message>
    <message>
        <source>Open doors…</source>
        <translation>Türen öffnen…</translation>
    </message>
    <message>
        <source>Open for writing</source>
        <translation>Zum Schreiben öffnen</translation>
    </message>
    <message>
        <source>Open helper…</source>
        <translation>Hilfe öffnen…</translation>
    </message>
    <message>
        <source>Open in Write card</source>
        <translation>In „Karte schreiben“ öffnen</translation>
    </message>
    <message>
        <source>Open its file</source>
        <translation>Datei öffnen</translation>
    </message>
    <message>
        <source>Open its file…</source>
        <translation>Datei öffnen…</translation>
    </message>
    <message>
        <source>Open its scan</source>
        <translation>Prüfung öffnen</translation>
    </message>
    <message>
        <source>Open notices</source>
        <translation>Offene Meldungen</translation>
    </message>
    <message>
        <source>Open notices, or resolved ones</source>
        <translation>Offene oder erledigte Meldungen</translation>
    </message>
    <message>
        <source>Open on Write card</source>
        <translation>In „Karte schreiben“ öffnen</translation>
    </message>
    <message>
        <source>Open page</source>
        <translation>Seite öffnen</translation>
    </message>
    <message>
        <source>Open person</source>
        <translation>Person öffnen</translation>
    </message>
    <message>
        <source>Open pictures of a palm</source>
        <translation>Handbilder öffnen</translation>
    </message>
    <message>
        <source>Open pictures…</source>
        <translation>Bilder öffnen…</translation>
    </message>
    <message>
        <source>Open profile</source>
        <translation>Profil öffnen</translation>
    </message>
    <message>
        <source>Open the PDF</source>
        <translation>PDF öffnen</translation>
    </message>
    <message>
        <source>Open the burn</source>
        <translation>Sperrung öffnen</translation>
    </message>
    <message>
        <source>Open the chosen frame</source>
        <translation>Gewähltes Frame öffnen</translation>
    </message>
    <message>
        <source>Open the form</source>
        <translation>Formular öffnen</translation>
    </message>
    <message>
        <source>Open the form helper</source>
        <translation>Formularhilfe öffnen</translation>
    </message>
    <message>
        <source>Open the form, copy field after field into it, send it, and note the number that the platform shows.</source>
        <translation>Öffnen Sie das Formular, kopieren Sie Feld für Feld hinein, senden Sie es ab, und notieren Sie die Nummer, die die Plattform zeigt.</translation>
    </message>
    <message>
        <source>Open the key window</source>
        <translation>Schlüsselfenster öffnen</translation>
    </message>
    <message>
        <source>Open the page again.</source>
        <translation>Öffnen Sie die Seite erneut.</translation>
    </message>
    <message>
        <source>Open the person</source>
        <translation>Person öffnen</translation>
    </message>
    <message>
        <source>Open the seal</source>
        <translation>Siegel öffnen</translation>
    </message>
    <message>
        <source>Open the seal of the match</source>
        <translation>Siegel des Treffers öffnen</translation>
    </message>
    <message>
        <source>Open the strike {id}</source>
        <translation>Vorgang {id} öffnen</translation>
    </message>
    <message>
        <source>Open what the chosen message is about</source>
        <translation>Öffnen, wovon die gewählte Nachricht handelt</translation>
    </message>
    <message>
        <source>Open what the message is about</source>
        <translation>Öffnen, wovon die Nachricht handelt</translation>
    </message>
    <message>
        <source>Open what the signature names</source>
        <translation>Öffnen, was die Signatur nennt</translation>
    </message>
    <message>
        <source>Open {subject}</source>
        <translation>{subject} öffnen</translation>
    </message>
    <message>
        <source>OpenID provider</source>
        <translation>OpenID-Anbieter</translation>
    </message>
    <message>
        <source>Opens Burn filled in: nothing is burned before you hold.</source>
        <translation>Öffnet „Sperren“ ausgefüllt: Nichts wird gesperrt, bevor Sie gedrückt halten.</translation>
    </message>
    <message>
        <source>Opens Burn filled in; looking writes nothing.</source>
        <translation>Öffnet „Sperren“ ausgefüllt; Ansehen schreibt nichts.</translation>
    </message>
    <message>
        <source>Opens Burn filled in; nothing happens before it is held there.</source>
        <translation>Öffnet „Sperren“ ausgefüllt; nichts geschieht, bevor dort gedrückt gehalten wird.</translation>
    </message>
    <message>
        <source>Opens Burn with this person and this reason filled in. It burns nobody by itself.</source>
        <translation>Öffnet Sperren, mit dieser Person und diesem Grund ausgefüllt. Von selbst sperrt es niemanden.</translation>
    </message>
    <message>
        <source>Opens People with this employee id.</source>
        <translation>Öffnet „Personen“ mit dieser Personalnummer.</translation>
    </message>
    <message>
        <source>Opens Readers with this person&apos;s badge in hand.</source>
        <translation>Öffnet „Lesegeräte“ mit dem Ausweis dieser Person in der Hand.</translation>
    </message>
    <message>
        <source>Opens Write card filled in.</source>
        <translation>Öffnet „Karte schreiben“ ausgefüllt.</translation>
    </message>
    <message>
        <source>Opens a session of 600 s, renewed until you stop it or leave the page.</source>
        <translation>Öffnet eine Sitzung von 600 s; sie wird erneuert, bis Sie sie anhalten oder die Seite verlassen.</translation>
    </message>
    <message>
        <source>Opens its form, filled in.</source>
        <translation>Öffnet ihr Formular, ausgefüllt.</translation>
    </message>
    <message>
        <source>Opens the page with a person who has a card: nobody is burned before you hold the button.</source>
        <translation>Öffnet die Seite mit einer Person, die eine Karte hat: Niemand wird gesperrt, bevor Sie den Knopf gedrückt halten.</translation>
    </message>
    <message>
        <source>Opens what needs you, with the next step before you. Enter in the list does the same.</source>
        <translation>Öffnet, was Sie braucht, mit dem nächsten Schritt vor Augen. Die Eingabetaste in der Liste tut dasselbe.</translation>
    </message>
    <message>
        <source>Open{doors}</source>
        <translation>Offen{doors}</translation>
    </message>
    <message>
        <source>Operational</source>
        <translation>In Betrieb</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>Bediener</translation>
    </message>
    <message>
        <source>Operator action</source>
        <translation>Bedieneraktion</translation>
    </message>
    <message>
        <source>Operator review</source>
        <translation>Prüfung durch Bediener</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>Bediener</translation>
    </message>
    <message>
        <source>Operators are listed as soon as one answers.</source>
        <translation>Bediener werden gelistet, sobald einer antwortet.</translation>
    </message>
    <message>
        <source>Operators need Citadel clearance.</source>
        <translation>Bediener erfordern die Freigabestufe Citadel.</translation>
    </message>
    <message>
        <source>Or contain</source>
        <translation>Oder festsetzen</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Auftrag</translation>
    </message>
    <message>
        <source>Order of the page</source>
        <translation>Reihenfolge der Seite</translation>
    </message>
    <message>
        <source>Origin</source>
        <translation>Herkunft</translation>
    </message>
    <message>
        <source>Other SW</source>
        <translation>Anderes SW</translation>
    </message>
    <message>
        <source>Other addresses by law</source>
        <translation>Andere Adressen je Gesetz</translation>
    </message>
    <message>
        <source>Other card</source>
        <translation>Andere Karte</translation>
    </message>
    <message>
        <source>Other likeness</source>
        <translation>Anderes Abbild</translation>
    </message>
    <message>
        <source>Other makers</source>
        <translation>Andere Hersteller</translation>
    </message>
    <message>
        <source>Other scans are in work before it.</source>
        <translation>Andere Prüfungen sind vorher an der Reihe.</translation>
    </message>
    <message>
        <source>Others</source>
        <translation>Andere</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Outside schedule</source>
        <translation>Außerhalb der Zeiten</translation>
    </message>
    <message>
        <source>Outside the hours</source>
        <translation>Außerhalb der Zeiten</translation>
    </message>
    <message>
        <source>Outside time stamps</source>
        <translation>Zeitstempel fremder Stellen</translation>
    </message>
    <message>
        <source>Over 50 ms in which we were not let run.</source>
        <translation>Über 50 ms, in denen die Konsole nicht laufen durfte.</translation>
    </message>
    <message>
        <source>Over 50 ms with more than 25 ms of our own work in them.</source>
        <translation>Über 50 ms, davon mehr als 25 ms eigene Arbeit.</translation>
    </message>
    <message>
        <source>Over the goal of {goal:g} ms</source>
        <translation>Über dem Ziel von {goal:g} ms</translation>
    </message>
    <message>
        <source>Overall level</source>
        <translation>Gesamtstufe</translation>
    </message>
    <message>
        <source>Overdue</source>
        <translation>Überfällig</translation>
    </message>
    <message>
        <source>Own card</source>
        <translation>Eigene Karte</translation>
    </message>
    <message>
        <source>Owner of the copyright</source>
        <translation>Inhaber des Urheberrechts</translation>
    </message>
    <message>
        <source>Owner: {owner}{note}.</source>
        <translation>Zuständig: {owner}{note}.</translation>
    </message>
    <message>
        <source>P50</source>
        <translation>P50</translation>
    </message>
    <message>
        <source>P95</source>
        <translation>P95</translation>
    </message>
    <message>
        <source>P99</source>
        <translation>P99</translation>
    </message>
    <message>
        <source>PART</source>
        <translation>BESTANDTEIL</translation>
    </message>
    <message>
        <source>PASSPHRASE</source>
        <translation>Passphrase</translation>
    </message>
    <message>
        <source>PAST {time}</source>
        <translation>VERGANGENHEIT {time}</translation>
    </message>
    <message>
        <source>PC/SC down</source>
        <translation>PC/SC ausgefallen</translation>
    </message>
    <message>
        <source>PC/SC off</source>
        <translation>PC/SC aus</translation>
    </message>
    <message>
        <source>PC/SC up</source>
        <translation>PC/SC läuft</translation>
    </message>
    <message>
        <source>PDF (*.pdf)</source>
        <translation>PDF (*.pdf)</translation>
    </message>
    <message>
        <source>PEM certificates, at most 20000 characters.</source>
        <translation>PEM-Zertifikate, höchstens 20000 Zeichen.</translation>
    </message>
    <message>
        <source>PERSON</source>
        <translation>Person</translation>
    </message>
    <message>
        <source>PERSONS</source>
        <translation>Personen</translation>
    </message>
    <message>
        <source>PIN MAILER</source>
        <translation>PIN-BRIEF</translation>
    </message>
    <message>
        <source>PIN blocked</source>
        <translation>PIN blockiert</translation>
    </message>
    <message>
        <source>PIN letter of {person} printed: {card}</source>
        <translation>PIN-Brief von {person} gedruckt: {card}</translation>
    </message>
    <message>
        <source>PIN mailer</source>
        <translation>PIN-Brief</translation>
    </message>
    <message>
        <source>PIN mailer saved as {path}.</source>
        <translation>PIN-Brief als {path} gespeichert.</translation>
    </message>
    <message>
        <source>PIN mailer {number} of {total}</source>
        <translation>PIN-Brief {number} von {total}</translation>
    </message>
    <message>
        <source>PIN mailer: {sentence}</source>
        <translation>PIN-Brief: {sentence}</translation>
    </message>
    <message>
        <source>PIN mailers stopped</source>
        <translation>PIN-Briefe abgebrochen</translation>
    </message>
    <message>
        <source>PIN of the card</source>
        <translation>PIN der Karte</translation>
    </message>
    <message>
        <source>PIN reset</source>
        <translation>PIN-Rücksetzung</translation>
    </message>
    <message>
        <source>PIN tries</source>
        <translation>PIN-Versuche</translation>
    </message>
    <message>
        <source>PIN usage policy</source>
        <translation>PIN-Nutzungsrichtlinie</translation>
    </message>
    <message>
        <source>PIN, then Enter</source>
        <translation>PIN, dann Eingabe</translation>
    </message>
    <message>
        <source>PIV application</source>
        <translation>PIV-Anwendung</translation>
    </message>
    <message>
        <source>PLACE</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>PLATFORM</source>
        <translation>Plattform</translation>
    </message>
    <message>
        <source>POLICY CHANGED. {said} Seals are still verified by the pinned one.</source>
        <translation>RICHTLINIE GEÄNDERT. {said} Siegel werden weiter nach der festgelegten geprüft.</translation>
    </message>
    <message>
        <source>PRODUCT</source>
        <translation>Produkt</translation>
    </message>
    <message>
        <source>PROFILE</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>PROOF</source>
        <translation>Beweis</translation>
    </message>
    <message>
        <source>PROOF FAILS</source>
        <translation>BEWEIS UNGÜLTIG</translation>
    </message>
    <message>
        <source>PROVEN IN</source>
        <translation>Bewiesen in</translation>
    </message>
    <message>
        <source>PUBLIC</source>
        <translation>Öffentlich</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Pair a reader</source>
        <translation>Lesegerät koppeln</translation>
    </message>
    <message>
        <source>Pair your first reader</source>
        <translation>Erstes Lesegerät koppeln</translation>
    </message>
    <message>
        <source>Palm</source>
        <translation>Handfläche</translation>
    </message>
    <message>
        <source>Palm enrolled</source>
        <translation>Handfläche erfasst</translation>
    </message>
    <message>
        <source>Palm of {person} enrolled</source>
        <translation>Handfläche von {person} erfasst</translation>
    </message>
    <message>
        <source>Palm of {person} on {terminal}</source>
        <translation>Handfläche von {person} auf {terminal}</translation>
    </message>
    <message>
        <source>Palm scanner</source>
        <translation>Handflächenscanner</translation>
    </message>
    <message>
        <source>Palm scanner, north entrance</source>
        <translation>Handflächenscanner, Nordeingang</translation>
    </message>
    <message>
        <source>Palm terminal</source>
        <translation>Handflächenterminal</translation>
    </message>
    <message>
        <source>Palm terminals and what they decided</source>
        <translation>Handflächenterminals und ihre Entscheidungen</translation>
    </message>
    <message>
        <source>Parent folder</source>
        <translation>Übergeordneter Ordner</translation>
    </message>
    <message>
        <source>Partial</source>
        <translation>Teilweise</translation>
    </message>
    <message>
        <source>Partly dispatched</source>
        <translation>Teilweise versandt</translation>
    </message>
    <message>
        <source>Parts of the page</source>
        <translation>Teile der Seite</translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation>Passphrase</translation>
    </message>
    <message>
        <source>Passphrase of this site</source>
        <translation>Passphrase dieses Standorts</translation>
    </message>
    <message>
        <source>Passphrase of {name}</source>
        <translation>Passphrase von {name}</translation>
    </message>
    <message>
        <source>Passphrase of {operator} set</source>
        <translation>Passphrase von {operator} gesetzt</translation>
    </message>
    <message>
        <source>Past</source>
        <translation>Vergangenheit</translation>
    </message>
    <message>
        <source>Past {time}{here}, {events}</source>
        <translation>Vergangenheit {time}{here}, {events}</translation>
    </message>
    <message>
        <source>Paste it</source>
        <translation>Hier einfügen</translation>
    </message>
    <message>
        <source>Paste it again: SHA-256 {digests}</source>
        <translation>Erneut einfügen: SHA-256 {digests}</translation>
    </message>
    <message>
        <source>Paste it again: SHA-256 {digest}</source>
        <translation>Erneut einfügen: SHA-256 {digest}</translation>
    </message>
    <message>
        <source>Paste its CA again to try it: the service does not give it out.</source>
        <translation>Fügen Sie zum Erproben seine CA erneut ein: Der Dienst gibt sie nicht heraus.</translation>
    </message>
    <message>
        <source>Paste the CA again, or say below that it is dropped: a save must not lose it.</source>
        <translation>Fügen Sie die CA erneut ein oder verwerfen Sie sie unten: Speichern darf sie nicht verlieren.</translation>
    </message>
    <message>
        <source>Paste the secret that HR was given: what it signs goes the whole way into the inbox. It burns nobody.</source>
        <translation>Fügen Sie das Geheimnis ein, das die Personalabteilung erhielt: Was es signiert, geht den ganzen Weg in den Eingang. Es sperrt niemanden.</translation>
    </message>
    <message>
        <source>Paste the secret: the service never shows it again.</source>
        <translation>Fügen Sie das Geheimnis ein: Der Dienst zeigt es nie wieder an.</translation>
    </message>
    <message>
        <source>Paste them, or choose a file.</source>
        <translation>Fügen Sie sie ein oder wählen Sie eine Datei.</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>Pfad</translation>
    </message>
    <message>
        <source>Path of {steps} steps from leaf {index} to the head of {size}</source>
        <translation>Pfad von {steps} Schritten von Blatt {index} zum Kopf über {size}</translation>
    </message>
    <message>
        <source>Path to the root</source>
        <translation>Pfad zur Wurzel</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Pause or go on</source>
        <translation>Anhalten oder fortsetzen</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Paused: go on with {key}</source>
        <translation>Angehalten: weiter mit {key}</translation>
    </message>
    <message>
        <source>Paused: no card gets a line</source>
        <translation>Angehalten: keine Karte bekommt eine Zeile</translation>
    </message>
    <message>
        <source>Payload</source>
        <translation>Nutzdaten</translation>
    </message>
    <message>
        <source>Peer</source>
        <translation>Gegenstelle</translation>
    </message>
    <message>
        <source>Peer id</source>
        <translation>ID der Gegenstelle</translation>
    </message>
    <message>
        <source>Pending</source>
        <translation>Ausstehend</translation>
    </message>
    <message>
        <source>Pending consensus</source>
        <translation>Konsens ausstehend</translation>
    </message>
    <message>
        <source>Pending offline</source>
        <translation>Ausstehend, offline</translation>
    </message>
    <message>
        <source>Pending until {until}</source>
        <translation>Ausstehend bis {until}</translation>
    </message>
    <message>
        <source>People</source>
        <translation>Personen</translation>
    </message>
    <message>
        <source>People are listed as soon as one answers.</source>
        <translation>Personen erscheinen, sobald einer antwortet.</translation>
    </message>
    <message>
        <source>People without a card</source>
        <translation>Personen ohne Karte</translation>
    </message>
    <message>
        <source>People without a card, {day}</source>
        <translation>Personen ohne Karte, {day}</translation>
    </message>
    <message>
        <source>People; Space ticks</source>
        <translation>Personen; Leertaste kreuzt an</translation>
    </message>
    <message>
        <source>Permit</source>
        <translation>Erlaubnis</translation>
    </message>
    <message>
        <source>Permits</source>
        <translation>Erlaubnisse</translation>
    </message>
    <message>
        <source>Person</source>
        <translation>Person</translation>
    </message>
    <message>
        <source>Person concerned</source>
        <translation>Betroffene Person</translation>
    </message>
    <message>
        <source>Person or node id</source>
        <translation>Person oder Personen-ID</translation>
    </message>
    <message>
        <source>Person or node id   /</source>
        <translation>Person oder Personen-ID   /</translation>
    </message>
    <message>
        <source>Person that is claimed</source>
        <translation>Behauptete Person</translation>
    </message>
    <message>
        <source>Person that the code is shown for</source>
        <translation>Person, für die der Code gezeigt wird</translation>
    </message>
    <message>
        <source>Person who holds the card</source>
        <translation>Inhaber der Karte</translation>
    </message>
    <message>
        <source>Person who is enrolled</source>
        <translation>Zu erfassende Person</translation>
    </message>
    <message>
        <source>Person who speaks</source>
        <translation>Person, die spricht</translation>
    </message>
    <message>
        <source>Person whose badge is held up</source>
        <translation>Person, deren Ausweis vorgezeigt wird</translation>
    </message>
    <message>
        <source>Person whose drawn palm is laid</source>
        <translation>Person, deren gezeichnete Handfläche aufgelegt wird</translation>
    </message>
    <message>
        <source>Person, card or id</source>
        <translation>Person, Karte oder ID</translation>
    </message>
    <message>
        <source>Phase between bands</source>
        <translation>Phase zwischen Bändern</translation>
    </message>
    <message>
        <source>Phase missing</source>
        <translation>Phase fehlt</translation>
    </message>
    <message>
        <source>Phase, p50</source>
        <translation>Phase, p50</translation>
    </message>
    <message>
        <source>Phases of the handshake: not measured</source>
        <translation>Phasen des Handshakes: nicht gemessen</translation>
    </message>
    <message>
        <source>Phases of the handshake: {said}</source>
        <translation>Phasen des Handshakes: {said}</translation>
    </message>
    <message>
        <source>Phases, p50: {said}</source>
        <translation>Phasen, p50: {said}</translation>
    </message>
    <message>
        <source>Photo for the badge</source>
        <translation>Foto für den Ausweis</translation>
    </message>
    <message>
        <source>Photos (*.jpg *.jpeg *.png)</source>
        <translation>Fotos (*.jpg *.jpeg *.png)</translation>
    </message>
    <message>
        <source>Physical level</source>
        <translation>Physische Stufe</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Picture of the palm</source>
        <translation>Bild der Handfläche</translation>
    </message>
    <message>
        <source>Pictures (*.jpg *.jpeg *.png)</source>
        <translation>Bilder (*.jpg *.jpeg *.png)</translation>
    </message>
    <message>
        <source>Pictures and samples that were not sent are overwritten in this console&apos;s memory.</source>
        <translation>Nicht gesendete Bilder und Proben sind im Speicher dieser Konsole überschrieben.</translation>
    </message>
    <message>
        <source>Pictures and videos ({patterns})</source>
        <translation>Bilder und Videos ({patterns})</translation>
    </message>
    <message>
        <source>Pictures in the bundle, by SHA-256:</source>
        <translation>Bilder im Paket, nach SHA-256:</translation>
    </message>
    <message>
        <source>Pictures of one palm</source>
        <translation>Bilder einer Handfläche</translation>
    </message>
    <message>
        <source>Pinned certificate (PEM)</source>
        <translation>Festgelegtes Zertifikat (PEM)</translation>
    </message>
    <message>
        <source>Pinned policy</source>
        <translation>Festgelegte Richtlinie</translation>
    </message>
    <message>
        <source>Pitch</source>
        <translation>Tonhöhe</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Stelle</translation>
    </message>
    <message>
        <source>Places</source>
        <translation>Stellen</translation>
    </message>
    <message>
        <source>Places ({count})</source>
        <translation>Stellen ({count})</translation>
    </message>
    <message>
        <source>Places differ from the rest.</source>
        <translation>Stellen weichen vom Rest ab.</translation>
    </message>
    <message>
        <source>Places or detectors</source>
        <translation>Stellen oder Detektoren</translation>
    </message>
    <message>
        <source>Places that differ from the rest stand here when the scan is over.</source>
        <translation>Stellen, die vom Rest abweichen, stehen hier, wenn die Prüfung beendet ist.</translation>
    </message>
    <message>
        <source>Places that differ from the rest stand here.</source>
        <translation>Stellen, die vom Rest abweichen, stehen hier.</translation>
    </message>
    <message>
        <source>Places that were found</source>
        <translation>Gefundene Stellen</translation>
    </message>
    <message>
        <source>Platform</source>
        <translation>Plattform</translation>
    </message>
    <message>
        <source>Platform id</source>
        <translation>Plattform-ID</translation>
    </message>
    <message>
        <source>Platform {name}</source>
        <translation>Plattform {name}</translation>
    </message>
    <message>
        <source>Platforms</source>
        <translation>Plattformen</translation>
    </message>
    <message>
        <source>Platforms: {names}</source>
        <translation>Plattformen: {names}</translation>
    </message>
    <message>
        <source>Plays the hand that puts a card into the reader.</source>
        <translation>Spielt die Hand, die eine Karte in das Lesegerät steckt.</translation>
    </message>
    <message>
        <source>Plug</source>
        <translation>Anschließen</translation>
    </message>
    <message>
        <source>Plug a reader in: it appears at the left by itself.</source>
        <translation>Stecken Sie ein Lesegerät an: Es erscheint links von selbst.</translation>
    </message>
    <message>
        <source>Plug a reader in: none of this batch is</source>
        <translation>Lesegerät anschließen: keines dieses Stapels ist es</translation>
    </message>
    <message>
        <source>Plug a reader in; it appears here by itself.</source>
        <translation>Stecken Sie ein Lesegerät an; es erscheint hier von selbst.</translation>
    </message>
    <message>
        <source>Plug in</source>
        <translation>Anstecken</translation>
    </message>
    <message>
        <source>Plug in a reader: there is none</source>
        <translation>Lesegerät anschließen: es gibt keines</translation>
    </message>
    <message>
        <source>Plug the door in</source>
        <translation>Leitung der Tür anstecken</translation>
    </message>
    <message>
        <source>Plug {door}</source>
        <translation>{door} anstecken</translation>
    </message>
    <message>
        <source>Point</source>
        <translation>Punkt</translation>
    </message>
    <message>
        <source>Poor</source>
        <translation>Schlecht</translation>
    </message>
    <message>
        <source>Possession</source>
        <translation>Besitz</translation>
    </message>
    <message>
        <source>Postal address</source>
        <translation>Postanschrift</translation>
    </message>
    <message>
        <source>Posted</source>
        <translation>Gesendet</translation>
    </message>
    <message>
        <source>Power them now: each takes its own key and shows “Secure channel”.</source>
        <translation>Schalten Sie sie jetzt ein: Jedes übernimmt seinen eigenen Schlüssel und zeigt „Sicherer Kanal“.</translation>
    </message>
    <message>
        <source>Preferences</source>
        <translation>Voreinstellungen</translation>
    </message>
    <message>
        <source>Present</source>
        <translation>Vorzeigen</translation>
    </message>
    <message>
        <source>Present at a door</source>
        <translation>An einer Tür vorzeigen</translation>
    </message>
    <message>
        <source>Present the badge</source>
        <translation>Ausweis vorzeigen</translation>
    </message>
    <message>
        <source>Present the badge before and after the burn, and see the door refuse it.</source>
        <translation>Halten Sie den Ausweis vor und nach der Sperrung an die Tür, und sehen Sie, wie sie ihn abweist.</translation>
    </message>
    <message>
        <source>Present the card at a door and see its answer with the time.</source>
        <translation>Halten Sie die Karte an eine Tür und sehen Sie ihre Antwort mit der Zeit.</translation>
    </message>
    <message>
        <source>Press F5 to connect again with a valid key.</source>
        <translation>Drücken Sie F5, um sich mit einem gültigen Schlüssel neu zu verbinden.</translation>
    </message>
    <message>
        <source>Press Space and let the person speak. What was found, why, and what to do next appear here.</source>
        <translation>Drücken Sie die Leertaste und lassen Sie die Person sprechen. Was gefunden wurde, warum, und was als Nächstes zu tun ist, erscheint hier.</translation>
    </message>
    <message>
        <source>Press Space and let the person speak; Space ends it. A recording (WAV or FLAC, 1 to 30 s) may also be opened or dropped here. What is heard is drawn here while it comes.</source>
        <translation>Drücken Sie die Leertaste und lassen Sie die Person sprechen; die Leertaste beendet es. Sie können hier auch eine Aufnahme (WAV oder FLAC, 1 bis 30 s) öffnen oder ablegen. Was zu hören ist, wird hier laufend gezeichnet.</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>Preview the document</source>
        <translation>Vorschau des Dokuments zeigen</translation>
    </message>
    <message>
        <source>Previous pane</source>
        <translation>Voriger Bereich</translation>
    </message>
    <message>
        <source>Print</source>
        <translation>Drucken</translation>
    </message>
    <message>
        <source>Print PIN mailer</source>
        <translation>PIN-Brief drucken</translation>
    </message>
    <message>
        <source>Print badge</source>
        <translation>Ausweis drucken</translation>
    </message>
    <message>
        <source>Print label</source>
        <translation>Etikett drucken</translation>
    </message>
    <message>
        <source>Printed information</source>
        <translation>Aufdruckdaten</translation>
    </message>
    <message>
        <source>Product</source>
        <translation>Produkt</translation>
    </message>
    <message>
        <source>Product, place, declared validation.</source>
        <translation>Produkt, Lagerort, angegebene Validierung.</translation>
    </message>
    <message>
        <source>Production site.</source>
        <translation>Produktiver Standort.</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>Profile of {person}</source>
        <translation>Profil von {person}</translation>
    </message>
    <message>
        <source>Profile {words}</source>
        <translation>Profil {words}</translation>
    </message>
    <message>
        <source>Profiles</source>
        <translation>Profile</translation>
    </message>
    <message>
        <source>Progress of the batch</source>
        <translation>Fortschritt des Stapels</translation>
    </message>
    <message>
        <source>Progress of the batch: {count} of {total} lines are over</source>
        <translation>Fortschritt des Stapels: {count} von {total} Zeilen sind abgeschlossen</translation>
    </message>
    <message>
        <source>Proof</source>
        <translation>Beweis</translation>
    </message>
    <message>
        <source>Proof (TRAINING)</source>
        <translation>Beweis (TRAINING)</translation>
    </message>
    <message>
        <source>Proof holds</source>
        <translation>Beweis gültig</translation>
    </message>
    <message>
        <source>Proof of possession</source>
        <translation>Besitznachweis</translation>
    </message>
    <message>
        <source>Proof, trace and PIN mailer of the provisioning.</source>
        <translation>Beweis, Trace und PIN-Brief der Personalisierung.</translation>
    </message>
    <message>
        <source>Property of {issuer}. If found, please hand it to the issuer or to any police station.</source>
        <translation>Eigentum von {issuer}. Finder: bitte dort oder bei der Polizei abgeben.</translation>
    </message>
    <message>
        <source>Protocol</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Prove in a fresh session</source>
        <translation>In neuer Sitzung beweisen</translation>
    </message>
    <message>
        <source>Proven</source>
        <translation>Bewiesen</translation>
    </message>
    <message>
        <source>Proven to be there by {kind}</source>
        <translation>Anwesenheit bewiesen durch {kind}</translation>
    </message>
    <message>
        <source>Provisioned</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>Provisionings of the element, newest first</source>
        <translation>Personalisierungen des Elements, neueste zuerst</translation>
    </message>
    <message>
        <source>Provisionings, newest first</source>
        <translation>Personalisierungen, neueste zuerst</translation>
    </message>
    <message>
        <source>Provisionings, newest first; Enter opens one</source>
        <translation>Personalisierungen, neueste zuerst; Eingabetaste öffnet</translation>
    </message>
    <message>
        <source>Public key</source>
        <translation>Öffentlicher Schlüssel</translation>
    </message>
    <message>
        <source>Pull out</source>
        <translation>Ziehen</translation>
    </message>
    <message>
        <source>Pull the card out. If the reader stays silent, unplug it and plug it in again.</source>
        <translation>Ziehen Sie die Karte heraus. Bleibt das Lesegerät stumm, stecken Sie es ab und wieder an.</translation>
    </message>
    <message>
        <source>Pull the training card out</source>
        <translation>Übungskarte herausziehen</translation>
    </message>
    <message>
        <source>Pulled out</source>
        <translation>Herausgezogen</translation>
    </message>
    <message>
        <source>Pulled out: put the SAME card back</source>
        <translation>Herausgezogen: DIESELBE Karte wieder einlegen</translation>
    </message>
    <message>
        <source>Purpose</source>
        <translation>Zweck</translation>
    </message>
    <message>
        <source>Put a blank card into {reader}</source>
        <translation>Leere Karte in {reader} einlegen</translation>
    </message>
    <message>
        <source>Put a blank card into {reader}.</source>
        <translation>Legen Sie eine leere Karte in {reader}.</translation>
    </message>
    <message>
        <source>Put a card into this reader.</source>
        <translation>Legen Sie eine Karte in dieses Lesegerät.</translation>
    </message>
    <message>
        <source>Put card {uid} into {reader}</source>
        <translation>Karte {uid} in {reader} einlegen</translation>
    </message>
    <message>
        <source>Put in</source>
        <translation>Einstecken</translation>
    </message>
    <message>
        <source>Put in a blank card</source>
        <translation>Leere Karte einlegen</translation>
    </message>
    <message>
        <source>Put it back</source>
        <translation>Zurücklegen</translation>
    </message>
    <message>
        <source>Put the SAME card back</source>
        <translation>DIESELBE Karte wieder einlegen</translation>
    </message>
    <message>
        <source>Put the SAME card back into {reader}</source>
        <translation>DIESELBE Karte wieder in {reader} einlegen</translation>
    </message>
    <message>
        <source>Put the SAME card back.</source>
        <translation>DIESELBE Karte wieder einlegen.</translation>
    </message>
    <message>
        <source>Put the SAME card back: {uid}</source>
        <translation>DIESELBE Karte wieder einlegen: {uid}</translation>
    </message>
    <message>
        <source>Put the element back to stock</source>
        <translation>Element zurück in den Bestand</translation>
    </message>
    <message>
        <source>Put your card into a reader ({count} here)</source>
        <translation>Stecken Sie Ihre Karte in einen Leser ({count} hier)</translation>
    </message>
    <message>
        <source>Put {uid} back to stock?</source>
        <translation>{uid} zurück in den Bestand?</translation>
    </message>
    <message>
        <source>Python {python}, Qt {qt}, PySide6 {pyside}</source>
        <translation>Python {python}, Qt {qt}, PySide6 {pyside}</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Qualität</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>Quantisierung</translation>
    </message>
    <message>
        <source>Quarantine</source>
        <translation>Quarantäne</translation>
    </message>
    <message>
        <source>Quarantine the element</source>
        <translation>Element in Quarantäne setzen</translation>
    </message>
    <message>
        <source>Quarantine {uid}?</source>
        <translation>{uid} in Quarantäne setzen?</translation>
    </message>
    <message>
        <source>Quarantined</source>
        <translation>In Quarantäne</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Eingereiht</translation>
    </message>
    <message>
        <source>Queued, not denied</source>
        <translation>Eingereiht, nicht abgewiesen</translation>
    </message>
    <message>
        <source>Quiet</source>
        <translation>Ruhig</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Quit the console?</source>
        <translation>Konsole beenden?</translation>
    </message>
    <message>
        <source>Quit: no alarm calls here then</source>
        <translation>Beenden: Dann ruft hier kein Alarm</translation>
    </message>
    <message>
        <source>Quorum met</source>
        <translation>Quorum erreicht</translation>
    </message>
    <message>
        <source>RATE</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>REACHABLE NOW</source>
        <translation>Jetzt erreichbar</translation>
    </message>
    <message>
        <source>READER</source>
        <translation>Lesegerät</translation>
    </message>
    <message>
        <source>READER ID</source>
        <translation>Lesegerät-ID</translation>
    </message>
    <message>
        <source>REASON</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>RECEIVED</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>RECORD</source>
        <translation>Beleg</translation>
    </message>
    <message>
        <source>REFERENCE</source>
        <translation>Referenz</translation>
    </message>
    <message>
        <source>REGISTRY</source>
        <translation>Register</translation>
    </message>
    <message>
        <source>RENEWED</source>
        <translation>Erneuert</translation>
    </message>
    <message>
        <source>RESULT</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>REVERSIBLE</source>
        <translation>Umkehrbar</translation>
    </message>
    <message>
        <source>RFC 3161, over this checkpoint</source>
        <translation>RFC 3161, über diesen Checkpoint</translation>
    </message>
    <message>
        <source>RFC 7638 thumbprint {thumbprint}</source>
        <translation>RFC-7638-Fingerabdruck {thumbprint}</translation>
    </message>
    <message>
        <source>ROLES</source>
        <translation>Rollen</translation>
    </message>
    <message>
        <source>RUN BY</source>
        <translation>Betreiber</translation>
    </message>
    <message>
        <source>Raised</source>
        <translation>Ausgelöst</translation>
    </message>
    <message>
        <source>Range of the burns</source>
        <translation>Zeitraum der Sperrungen</translation>
    </message>
    <message>
        <source>Range of time</source>
        <translation>Zeitraum</translation>
    </message>
    <message>
        <source>Re-issue</source>
        <translation>Neuausgabe</translation>
    </message>
    <message>
        <source>Re-issue approved</source>
        <translation>Neuausgabe freigegeben</translation>
    </message>
    <message>
        <source>Reachable</source>
        <translation>Erreichbar</translation>
    </message>
    <message>
        <source>Read</source>
        <comment>past</comment>
        <translation>Gelesen</translation>
    </message>
    <message>
        <source>Read back</source>
        <translation>Zurückgelesen</translation>
    </message>
    <message>
        <source>Read from</source>
        <translation>Gelesen aus</translation>
    </message>
    <message>
        <source>Read on {day} at {source}: check it before you rely on it.</source>
        <translation>Gelesen am {day} unter {source}: Prüfen Sie es, bevor Sie sich darauf verlassen.</translation>
    </message>
    <message>
        <source>Readable</source>
        <translation>Lesbar</translation>
    </message>
    <message>
        <source>Reader cluster</source>
        <translation>Türgruppe</translation>
    </message>
    <message>
        <source>Reader clusters</source>
        <translation>Türgruppen</translation>
    </message>
    <message>
        <source>Reader doctor</source>
        <translation>Lesegeräte-Diagnose</translation>
    </message>
    <message>
        <source>Reader grants</source>
        <translation>Türberechtigungen</translation>
    </message>
    <message>
        <source>Reader {name} takes part</source>
        <translation>Lesegerät {name} nimmt teil</translation>
    </message>
    <message>
        <source>Reader {reader}: {sentence}</source>
        <translation>Lesegerät {reader}: {sentence}</translation>
    </message>
    <message>
        <source>Readers</source>
        <translation>Lesegeräte</translation>
    </message>
    <message>
        <source>Readers of the batch</source>
        <translation>Lesegeräte des Stapels</translation>
    </message>
    <message>
        <source>Readers of the cluster</source>
        <translation>Lesegeräte der Türgruppe</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>Wird gelesen</translation>
    </message>
    <message>
        <source>Reading the card</source>
        <translation>Karte wird gelesen</translation>
    </message>
    <message>
        <source>Reading the folder.</source>
        <translation>Der Ordner wird gelesen.</translation>
    </message>
    <message>
        <source>Reading the registry</source>
        <translation>Register wird gelesen</translation>
    </message>
    <message>
        <source>Reading the whole registry</source>
        <translation>Das ganze Register wird gelesen</translation>
    </message>
    <message>
        <source>Reads, and changes nothing: could a burn act there now?</source>
        <translation>Liest und ändert nichts: Könnte eine Sperrung dort jetzt wirken?</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Ready, {ms:.0f} ms</source>
        <translation>Bereit, {ms:.0f} ms</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Reason of the burn</source>
        <translation>Grund der Sperrung</translation>
    </message>
    <message>
        <source>Reason to close the target without proof</source>
        <translation>Grund, das Ziel ohne Beweis zu schließen</translation>
    </message>
    <message>
        <source>Reason, kept in the audit log</source>
        <translation>Grund, im Audit-Protokoll aufbewahrt</translation>
    </message>
    <message>
        <source>Reason: {reason}</source>
        <translation>Grund: {reason}</translation>
    </message>
    <message>
        <source>Reasons</source>
        <translation>Gründe</translation>
    </message>
    <message>
        <source>Receipt</source>
        <translation>Beleg</translation>
    </message>
    <message>
        <source>Receipt SHA-256</source>
        <translation>Beleg SHA-256</translation>
    </message>
    <message>
        <source>Receipt and badge</source>
        <translation>Beleg und Ausweis</translation>
    </message>
    <message>
        <source>Receipt of the provisioning</source>
        <translation>Beleg der Personalisierung</translation>
    </message>
    <message>
        <source>Receipt, badge and label</source>
        <translation>Beleg, Ausweis und Etikett</translation>
    </message>
    <message>
        <source>Receipts</source>
        <translation>Belege</translation>
    </message>
    <message>
        <source>Receipts as CSV</source>
        <translation>Belege als CSV</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>Eintragen</translation>
    </message>
    <message>
        <source>Record an outcome</source>
        <translation>Ergebnis eintragen</translation>
    </message>
    <message>
        <source>Record changed{by_words}</source>
        <translation>Datensatz geändert{by_words}</translation>
    </message>
    <message>
        <source>Record outcome…</source>
        <translation>Ergebnis eintragen…</translation>
    </message>
    <message>
        <source>Record the outcome of {number}</source>
        <translation>Ergebnis von {number} eintragen</translation>
    </message>
    <message>
        <source>Recorded since {since}</source>
        <translation>Aufgezeichnet seit {since}</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>Aufnahme</translation>
    </message>
    <message>
        <source>Recordings (*.wav *.flac)</source>
        <translation>Aufnahmen (*.wav *.flac)</translation>
    </message>
    <message>
        <source>Recordings that were here are overwritten in this console&apos;s memory.</source>
        <translation>Aufnahmen, die hier lagen, sind im Speicher dieser Konsole überschrieben.</translation>
    </message>
    <message>
        <source>Refreshing</source>
        <translation>Wird aktualisiert</translation>
    </message>
    <message>
        <source>Refreshing, as of {time}</source>
        <translation>Wird aktualisiert, Stand {time}</translation>
    </message>
    <message>
        <source>Refused</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <source>Refused</source>
        <comment>at a door</comment>
        <translation>Abgewiesen</translation>
    </message>
    <message>
        <source>Refused or failed</source>
        <translation>Abgelehnt oder gescheitert</translation>
    </message>
    <message>
        <source>Refused, so nothing of it was kept</source>
        <translation>Abgelehnt, daher wurde nichts davon aufbewahrt</translation>
    </message>
    <message>
        <source>Refused: {reason}</source>
        <translation>Abgewiesen: {reason}</translation>
    </message>
    <message>
        <source>Register</source>
        <translation>Registrieren</translation>
    </message>
    <message>
        <source>Register a cluster</source>
        <translation>Türgruppe registrieren</translation>
    </message>
    <message>
        <source>Register a directory</source>
        <translation>Verzeichnis registrieren</translation>
    </message>
    <message>
        <source>Register a frame</source>
        <translation>Frame anmelden</translation>
    </message>
    <message>
        <source>Register a peer</source>
        <translation>Gegenstelle registrieren</translation>
    </message>
    <message>
        <source>Register a peer by host and port: it is probed each second by a full mutual TLS handshake; its latency, phases and certificate appear here.</source>
        <translation>Registrieren Sie eine Gegenstelle mit Host und Port: Sie wird jede Sekunde mit einem vollen gegenseitigen TLS-Handshake geprüft; Latenz, Phasen und Zertifikat erscheinen hier.</translation>
    </message>
    <message>
        <source>Register a platform</source>
        <translation>Plattform registrieren</translation>
    </message>
    <message>
        <source>Register a platform…</source>
        <translation>Plattform registrieren…</translation>
    </message>
    <message>
        <source>Register {peer}</source>
        <translation>{peer} registrieren</translation>
    </message>
    <message>
        <source>Registered before: paste it again, or drop it below.</source>
        <translation>Zuvor registriert: Fügen Sie es erneut ein, oder verwerfen Sie es unten.</translation>
    </message>
    <message>
        <source>Registered {time}, after that moment.</source>
        <translation>Registriert {time}, nach jenem Moment.</translation>
    </message>
    <message>
        <source>Registered{by_words}</source>
        <translation>Registriert{by_words}</translation>
    </message>
    <message>
        <source>Registration</source>
        <translation>Registrierung</translation>
    </message>
    <message>
        <source>Registry</source>
        <translation>Register</translation>
    </message>
    <message>
        <source>Registry id</source>
        <translation>Register-ID</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <source>Reject the request</source>
        <translation>Antrag ablehnen</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <source>Release</source>
        <translation>Freigeben</translation>
    </message>
    <message>
        <source>Release all</source>
        <translation>Alle freigeben</translation>
    </message>
    <message>
        <source>Release all that is held</source>
        <translation>Alle gehaltenen freigeben</translation>
    </message>
    <message>
        <source>Release all {count}?</source>
        <translation>Alle {count} freigeben?</translation>
    </message>
    <message>
        <source>Release it</source>
        <translation>Freigeben</translation>
    </message>
    <message>
        <source>Release it, or send it again</source>
        <translation>Freigeben oder erneut senden</translation>
    </message>
    <message>
        <source>Release it?</source>
        <translation>Freigeben?</translation>
    </message>
    <message>
        <source>Release the chosen of the list</source>
        <translation>Gewählte der Liste freigeben</translation>
    </message>
    <message>
        <source>Release the held discharge</source>
        <translation>Gehaltenen Austritt freigeben</translation>
    </message>
    <message>
        <source>Release the person</source>
        <translation>Person freigeben</translation>
    </message>
    <message>
        <source>Release the subject</source>
        <translation>Person freigeben</translation>
    </message>
    <message>
        <source>Release {name}</source>
        <translation>{name} freigeben</translation>
    </message>
    <message>
        <source>Release {person}?</source>
        <translation>{person} freigeben?</translation>
    </message>
    <message>
        <source>Released</source>
        <comment>containment</comment>
        <translation>Festsetzung aufgehoben</translation>
    </message>
    <message>
        <source>Released</source>
        <translation>Freigelassen</translation>
    </message>
    <message>
        <source>Release…</source>
        <translation>Freigeben…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the chosen reader</source>
        <translation>Gewähltes Lesegerät entfernen</translation>
    </message>
    <message>
        <source>Remove the reader</source>
        <translation>Lesegerät entfernen</translation>
    </message>
    <message>
        <source>Remove the sample</source>
        <translation>Probe entfernen</translation>
    </message>
    <message>
        <source>Remove the sample under the cursor</source>
        <translation>Probe unter dem Cursor entfernen</translation>
    </message>
    <message>
        <source>Remove the take</source>
        <translation>Sprechprobe entfernen</translation>
    </message>
    <message>
        <source>Remove what is there and set none</source>
        <translation>Vorhandene entfernen und keine setzen</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>Entfernt</translation>
    </message>
    <message>
        <source>Renew</source>
        <translation>Erneuern</translation>
    </message>
    <message>
        <source>Renew it</source>
        <translation>Erneuern</translation>
    </message>
    <message>
        <source>Renew now</source>
        <translation>Jetzt erneuern</translation>
    </message>
    <message>
        <source>Renew the template registry</source>
        <translation>Template-Register erneuern</translation>
    </message>
    <message>
        <source>Renew {registry}</source>
        <translation>{registry} erneuern</translation>
    </message>
    <message>
        <source>Renew {registry}?</source>
        <translation>{registry} erneuern?</translation>
    </message>
    <message>
        <source>Renewal makes every template anew under the next key, without the persons, and destroys the old key. What was taken from the registry before matches nobody afterwards, but two whole sets stay linkable: all templates of before and after together tell which belong to one person. Terminals need a new bundle: until then their frames are refused.</source>
        <translation>Das Erneuern erstellt jedes Template neu unter dem nächsten Schlüssel, ohne Zutun der Personen, und vernichtet den alten Schlüssel. Was dem Register zuvor entnommen wurde, stimmt danach mit niemandem überein, aber zwei ganze Bestände bleiben verknüpfbar: Alle Templates von vorher und nachher zusammen verraten, welche zu einer Person gehören. Terminals brauchen ein neues Paket: Bis dahin werden ihre Frames abgelehnt.</translation>
    </message>
    <message>
        <source>Renew…</source>
        <translation>Erneuern…</translation>
    </message>
    <message>
        <source>Repaint, p95</source>
        <translation>Bildaufbau, p95</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Replace it</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Replace the draft?</source>
        <translation>Entwurf ersetzen?</translation>
    </message>
    <message>
        <source>Replace the keys</source>
        <translation>Schlüssel ersetzen</translation>
    </message>
    <message>
        <source>Replace the keys of {cluster}?</source>
        <translation>Schlüssel von {cluster} ersetzen?</translation>
    </message>
    <message>
        <source>Replaces the night shift&apos;s administrator</source>
        <translation>Ersetzt den Administrator der Nachtschicht</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>Replay the recording</source>
        <translation>Aufnahme abspielen</translation>
    </message>
    <message>
        <source>Replayed</source>
        <translation>Wiederholt vorgelegt</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>Report (PDF)</source>
        <translation>Bericht (PDF)</translation>
    </message>
    <message>
        <source>Report of site {site}</source>
        <translation>Bericht des Standorts {site}</translation>
    </message>
    <message>
        <source>Report this.</source>
        <translation>Melden Sie dies.</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>Anfrage</translation>
    </message>
    <message>
        <source>Requests for a second administrator, newest first</source>
        <translation>Anträge an einen zweiten Administrator, neueste zuerst</translation>
    </message>
    <message>
        <source>Requests for a second key, newest first</source>
        <translation>Anträge auf einen zweiten Schlüssel, neueste zuerst</translation>
    </message>
    <message>
        <source>Required</source>
        <translation>Erforderlich</translation>
    </message>
    <message>
        <source>Reset</source>
        <comment>button</comment>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurückgesetzt</translation>
    </message>
    <message>
        <source>Reset PIN</source>
        <translation>PIN zurücksetzen</translation>
    </message>
    <message>
        <source>Reset the tolerance</source>
        <translation>Toleranz zurücksetzen</translation>
    </message>
    <message>
        <source>Resolve</source>
        <translation>DNS</translation>
    </message>
    <message>
        <source>Resolved</source>
        <translation>Erledigt</translation>
    </message>
    <message>
        <source>Resolved notices</source>
        <translation>Erledigte Meldungen</translation>
    </message>
    <message>
        <source>Resonances F1 to F{last}</source>
        <translation>Resonanzen F1 bis F{last}</translation>
    </message>
    <message>
        <source>Rest of TLS</source>
        <translation>Rest von TLS</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>Neustart</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>Retire</source>
        <translation>Ausmustern</translation>
    </message>
    <message>
        <source>Retire it</source>
        <translation>Ausmustern</translation>
    </message>
    <message>
        <source>Retire the element</source>
        <translation>Element ausmustern</translation>
    </message>
    <message>
        <source>Retire {uid}?</source>
        <translation>{uid} ausmustern?</translation>
    </message>
    <message>
        <source>Retired</source>
        <translation>Ausgemustert</translation>
    </message>
    <message>
        <source>Revoke card {guid}</source>
        <translation>Karte {guid} widerrufen</translation>
    </message>
    <message>
        <source>Revoke one card of the subject</source>
        <translation>Eine Karte der Person widerrufen</translation>
    </message>
    <message>
        <source>Revoke the key</source>
        <translation>Schlüssel widerrufen</translation>
    </message>
    <message>
        <source>Revoke the key of {label}</source>
        <translation>Schlüssel von {label} widerrufen</translation>
    </message>
    <message>
        <source>Revoke the key of {label}?</source>
        <translation>Schlüssel von {label} widerrufen?</translation>
    </message>
    <message>
        <source>Revoked</source>
        <translation>Widerrufen</translation>
    </message>
    <message>
        <source>Revoked at {time}: it opens nothing any more.</source>
        <translation>Widerrufen {time}: Er öffnet nichts mehr.</translation>
    </message>
    <message>
        <source>Revoking the key of this console disconnects it.</source>
        <translation>Wird der Schlüssel dieser Konsole widerrufen, ist sie getrennt.</translation>
    </message>
    <message>
        <source>Right of the middle</source>
        <translation>Rechts der Mitte</translation>
    </message>
    <message>
        <source>Roles</source>
        <translation>Rollen</translation>
    </message>
    <message>
        <source>Rolled back</source>
        <translation>Zurückgesetzt</translation>
    </message>
    <message>
        <source>Root {hash}</source>
        <translation>Wurzel {hash}</translation>
    </message>
    <message>
        <source>Roster</source>
        <translation>Personalliste</translation>
    </message>
    <message>
        <source>Roster and nodes agree.</source>
        <translation>Personalliste und Personen-IDs stimmen überein.</translation>
    </message>
    <message>
        <source>Rotate the key</source>
        <translation>Schlüssel rotieren</translation>
    </message>
    <message>
        <source>Rotate the key of {label}</source>
        <translation>Schlüssel von {label} rotieren</translation>
    </message>
    <message>
        <source>Rotate the key of {name}?</source>
        <translation>Schlüssel von {name} rotieren?</translation>
    </message>
    <message>
        <source>Rotate the secret</source>
        <translation>Geheimnis wechseln</translation>
    </message>
    <message>
        <source>Rotate the secret of {source}</source>
        <translation>Geheimnis von {source} wechseln</translation>
    </message>
    <message>
        <source>Rotate {source}</source>
        <translation>Geheimnis wechseln: {source}</translation>
    </message>
    <message>
        <source>Rotated</source>
        <translation>Rotiert</translation>
    </message>
    <message>
        <source>Rotating</source>
        <translation>Rotiert</translation>
    </message>
    <message>
        <source>Rotating code</source>
        <translation>Wechselnder Code</translation>
    </message>
    <message>
        <source>Rotating code of terminal {terminal}</source>
        <translation>Wechselnder Code des Terminals {terminal}</translation>
    </message>
    <message>
        <source>Rotating codes</source>
        <translation>Wechselnde Codes</translation>
    </message>
    <message>
        <source>Rows of the store changed</source>
        <translation>Zeilen des Speichers geändert</translation>
    </message>
    <message>
        <source>Rows of the store changed: {tables}</source>
        <translation>Zeilen des Speichers geändert: {tables}</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>SAMPLE</source>
        <translation>Probe</translation>
    </message>
    <message>
        <source>SCOPE</source>
        <translation>Umfang</translation>
    </message>
    <message>
        <source>SCORE, FALSE ALARMS</source>
        <translation>Wert, Fehlalarme</translation>
    </message>
    <message>
        <source>SEAL</source>
        <translation>Siegel</translation>
    </message>
    <message>
        <source>SEALED</source>
        <translation>Versiegelt</translation>
    </message>
    <message>
        <source>SECOND FACTOR</source>
        <translation>Zweiter Faktor</translation>
    </message>
    <message>
        <source>SECRET</source>
        <translation>Geheimnis</translation>
    </message>
    <message>
        <source>SECURE</source>
        <translation>Sicher</translation>
    </message>
    <message>
        <source>SENT</source>
        <translation>Gesendet</translation>
    </message>
    <message>
        <source>SHA-256 digests, 64 hexadecimal digits each, one a line, at most 256.</source>
        <translation>SHA-256-Werte, je 64 Hexadezimalziffern, einer je Zeile, höchstens 256.</translation>
    </message>
    <message>
        <source>SHA-256 of the folder: {hash}</source>
        <translation>SHA-256 des Ordners: {hash}</translation>
    </message>
    <message>
        <source>SIGNATURE</source>
        <translation>Signatur</translation>
    </message>
    <message>
        <source>SIGNS</source>
        <translation>Signiert</translation>
    </message>
    <message>
        <source>SIGNS BY</source>
        <translation>Signiert mit</translation>
    </message>
    <message>
        <source>SIGNS IN BY</source>
        <translation>Meldet sich an mit</translation>
    </message>
    <message>
        <source>SINCE</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>SIZE</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>SLOWEST PHASE</source>
        <translation>Langsamste Phase</translation>
    </message>
    <message>
        <source>SOURCE</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>SPEECH</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>STAGE</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>STALE since {time}</source>
        <translation>VERALTET seit {time}</translation>
    </message>
    <message>
        <source>STALE: newer scans here are judged by {model}. Scan it again.</source>
        <translation>VERALTET: Neuere Prüfungen hier beurteilt {model}. Prüfen Sie erneut.</translation>
    </message>
    <message>
        <source>STANDING</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>STATE</source>
        <translation>Stand</translation>
    </message>
    <message>
        <source>STATEMENT</source>
        <translation>Aussage</translation>
    </message>
    <message>
        <source>STATUS</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>STATUS WORD</source>
        <translation>Statuswort</translation>
    </message>
    <message>
        <source>STEP</source>
        <translation>SCHRITT</translation>
    </message>
    <message>
        <source>STORED</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>SYSTEM</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Safe 2, tray 14</source>
        <translation>Tresor 2, Fach 14</translation>
    </message>
    <message>
        <source>Said</source>
        <translation>Gesagt</translation>
    </message>
    <message>
        <source>Same speaker</source>
        <translation>Gleicher Sprecher</translation>
    </message>
    <message>
        <source>Same voice</source>
        <translation>Gleiche Stimme</translation>
    </message>
    <message>
        <source>Same voice by piece</source>
        <translation>Gleiche Stimme nach Abschnitten</translation>
    </message>
    <message>
        <source>Sample {number}: {sentence}</source>
        <translation>Probe {number}: {sentence}</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Proben</translation>
    </message>
    <message>
        <source>Samples of one person</source>
        <translation>Proben einer Person</translation>
    </message>
    <message>
        <source>Samples of the enrolment</source>
        <translation>Proben der Erfassung</translation>
    </message>
    <message>
        <source>Samples of this enrolment</source>
        <translation>Proben dieser Erfassung</translation>
    </message>
    <message>
        <source>Samples that were not sent are overwritten in this console&apos;s memory.</source>
        <translation>Nicht gesendete Proben sind im Speicher dieser Konsole überschrieben.</translation>
    </message>
    <message>
        <source>Sat</source>
        <translation>Sa</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Save   Ctrl+Return</source>
        <translation>Speichern   Strg+Eingabe</translation>
    </message>
    <message>
        <source>Save PIN mailer</source>
        <translation>PIN-Brief speichern</translation>
    </message>
    <message>
        <source>Save PIN mailers</source>
        <translation>PIN-Briefe speichern</translation>
    </message>
    <message>
        <source>Save a bundle</source>
        <translation>Paket speichern</translation>
    </message>
    <message>
        <source>Save a bundle for the terminal</source>
        <translation>Paket für das Terminal speichern</translation>
    </message>
    <message>
        <source>Save as CSV</source>
        <translation>Als CSV speichern</translation>
    </message>
    <message>
        <source>Save as JSON</source>
        <translation>Als JSON speichern</translation>
    </message>
    <message>
        <source>Save badge</source>
        <translation>Ausweis speichern</translation>
    </message>
    <message>
        <source>Save badge (PDF)</source>
        <translation>Ausweis speichern (PDF)</translation>
    </message>
    <message>
        <source>Save badges</source>
        <translation>Ausweise speichern</translation>
    </message>
    <message>
        <source>Save badges (PDF)</source>
        <translation>Ausweise speichern (PDF)</translation>
    </message>
    <message>
        <source>Save bundle</source>
        <translation>Paket speichern</translation>
    </message>
    <message>
        <source>Save crash reports</source>
        <translation>Absturzberichte speichern</translation>
    </message>
    <message>
        <source>Save label</source>
        <translation>Etikett speichern</translation>
    </message>
    <message>
        <source>Save label (PDF)</source>
        <translation>Etikett speichern (PDF)</translation>
    </message>
    <message>
        <source>Save labels</source>
        <translation>Etiketten speichern</translation>
    </message>
    <message>
        <source>Save labels (PDF)</source>
        <translation>Etiketten speichern (PDF)</translation>
    </message>
    <message>
        <source>Save proof</source>
        <translation>Beweis speichern</translation>
    </message>
    <message>
        <source>Save receipt</source>
        <translation>Beleg speichern</translation>
    </message>
    <message>
        <source>Save rows</source>
        <translation>Zeilen speichern</translation>
    </message>
    <message>
        <source>Save the APDU trace</source>
        <translation>APDU-Trace speichern</translation>
    </message>
    <message>
        <source>Save the C2PA manifest</source>
        <translation>C2PA-Manifest speichern</translation>
    </message>
    <message>
        <source>Save the PDF instead.</source>
        <translation>Speichern Sie stattdessen das PDF.</translation>
    </message>
    <message>
        <source>Save the PDF…</source>
        <translation>PDF speichern…</translation>
    </message>
    <message>
        <source>Save the bundle</source>
        <translation>Paket speichern</translation>
    </message>
    <message>
        <source>Save the declaration</source>
        <translation>Erklärung speichern</translation>
    </message>
    <message>
        <source>Save the declaration as PDF</source>
        <translation>Erklärung als PDF speichern</translation>
    </message>
    <message>
        <source>Save the evidence bundle</source>
        <translation>Beweispaket speichern</translation>
    </message>
    <message>
        <source>Save the evidence bundle of its burns and alarms beside it</source>
        <translation>Beweispaket seiner Sperrungen und Alarme daneben speichern</translation>
    </message>
    <message>
        <source>Save the preview</source>
        <translation>Vorschau speichern</translation>
    </message>
    <message>
        <source>Save the proof</source>
        <translation>Beweis speichern</translation>
    </message>
    <message>
        <source>Save the receipts</source>
        <translation>Belege speichern</translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>Save the report as PDF</source>
        <translation>Bericht als PDF speichern</translation>
    </message>
    <message>
        <source>Save the seal</source>
        <translation>Siegel speichern</translation>
    </message>
    <message>
        <source>Save the seal as JSON</source>
        <translation>Siegel als JSON speichern</translation>
    </message>
    <message>
        <source>Save the signed bundle</source>
        <translation>Signiertes Paket speichern</translation>
    </message>
    <message>
        <source>Save the values as CSV</source>
        <translation>Werte als CSV speichern</translation>
    </message>
    <message>
        <source>Save what the batch leaves</source>
        <translation>Sichern, was der Stapel hinterlässt</translation>
    </message>
    <message>
        <source>Save {many} as CSV</source>
        <translation>{many} als CSV speichern</translation>
    </message>
    <message>
        <source>Save {name} as CSV</source>
        <translation>{name} als CSV speichern</translation>
    </message>
    <message>
        <source>Save {uid}</source>
        <translation>{uid} speichern</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Sichern…</translation>
    </message>
    <message>
        <source>Saving {name}</source>
        <translation>{name} wird gespeichert</translation>
    </message>
    <message>
        <source>Say in 1 to 200 characters whose key it is.</source>
        <translation>Sagen Sie in 1 bis 200 Zeichen, wessen Schlüssel es ist.</translation>
    </message>
    <message>
        <source>Say in 1 to 4000 characters what was decided, and by whom.</source>
        <translation>Schreiben Sie in 1 bis 4000 Zeichen, was entschieden wurde und durch wen.</translation>
    </message>
    <message>
        <source>Say in 3 to 1,000 characters why.</source>
        <translation>Sagen Sie in 3 bis 1.000 Zeichen, warum.</translation>
    </message>
    <message>
        <source>Say these digits, then anything else, until the bar is full:</source>
        <translation>Sagen Sie diese Ziffern, dann irgendetwas anderes, bis der Balken voll ist:</translation>
    </message>
    <message>
        <source>Say whose key it is: that is what the audit log will name.</source>
        <translation>Sagen Sie, wessen Schlüssel es ist: So nennt ihn das Audit-Protokoll.</translation>
    </message>
    <message>
        <source>Say why: it stays in the audit log.</source>
        <translation>Sagen Sie, warum: Es bleibt im Audit-Protokoll.</translation>
    </message>
    <message>
        <source>Say why: the person who agrees reads this.</source>
        <translation>Sagen Sie, warum: Wer zustimmt, liest das.</translation>
    </message>
    <message>
        <source>Say why: who finds it tomorrow wants to know.</source>
        <translation>Sagen Sie, warum: Wer es morgen findet, will es wissen.</translation>
    </message>
    <message>
        <source>Scan</source>
        <comment>code</comment>
        <translation>Scannen</translation>
    </message>
    <message>
        <source>Scan</source>
        <translation>Prüfung</translation>
    </message>
    <message>
        <source>Scan a folder</source>
        <translation>Ordner prüfen</translation>
    </message>
    <message>
        <source>Scan files</source>
        <translation>Dateien prüfen</translation>
    </message>
    <message>
        <source>Scan it again</source>
        <translation>Erneut prüfen</translation>
    </message>
    <message>
        <source>Scan the address</source>
        <translation>Adresse prüfen</translation>
    </message>
    <message>
        <source>Scan the addresses of the clipboard</source>
        <translation>Adressen der Zwischenablage prüfen</translation>
    </message>
    <message>
        <source>Scan the code that a terminal shows: accepted once, and only within its time.</source>
        <translation>Scannen Sie den Code, den ein Terminal zeigt: Er wird einmal angenommen und nur innerhalb seiner Zeit.</translation>
    </message>
    <message>
        <source>Scan {name}</source>
        <translation>{name} prüfen</translation>
    </message>
    <message>
        <source>Scanned</source>
        <translation>Geprüft</translation>
    </message>
    <message>
        <source>Scanned code</source>
        <translation>Gescannter Code</translation>
    </message>
    <message>
        <source>Scanned code: a scanner types here and ends with Enter</source>
        <translation>Gescannter Code: Ein Scanner tippt hier und schließt mit der Eingabetaste ab</translation>
    </message>
    <message>
        <source>Scanning</source>
        <translation>Wird geprüft</translation>
    </message>
    <message>
        <source>Scans</source>
        <translation>Prüfungen</translation>
    </message>
    <message>
        <source>Scans need a Citadel key.</source>
        <translation>Prüfungen erfordern einen Citadel-Schlüssel.</translation>
    </message>
    <message>
        <source>Scans of this site, newest first</source>
        <translation>Prüfungen dieses Standorts, neueste zuerst</translation>
    </message>
    <message>
        <source>Scan{address}</source>
        <translation>Prüfen{address}</translation>
    </message>
    <message>
        <source>Scene held by the alarm</source>
        <translation>Szene vom Alarm gehalten</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>Umfang</translation>
    </message>
    <message>
        <source>Scope: {scope}</source>
        <translation>Umfang: {scope}</translation>
    </message>
    <message>
        <source>Score {score:.2f}; no calibration tells how often untouched pictures score as high.</source>
        <translation>Wert {score:.2f}; keine Kalibrierung sagt, wie oft unveränderte Bilder ebenso hohe Werte erreichen.</translation>
    </message>
    <message>
        <source>Scores against false alarms</source>
        <translation>Werte gegen Fehlalarme</translation>
    </message>
    <message>
        <source>Screen with a rotating code</source>
        <translation>Bildschirm mit wechselndem Code</translation>
    </message>
    <message>
        <source>Seal</source>
        <translation>Siegel</translation>
    </message>
    <message>
        <source>Seal 0x… or KNOT-…   Alt+4</source>
        <translation>Siegel 0x… oder KNOT-…   Alt+4</translation>
    </message>
    <message>
        <source>Seal a consent</source>
        <translation>Einwilligung versiegeln</translation>
    </message>
    <message>
        <source>Seal log</source>
        <translation>Siegelprotokoll</translation>
    </message>
    <message>
        <source>Sealed</source>
        <translation>Versiegelt</translation>
    </message>
    <message>
        <source>Sealed to the terminal&apos;s encryption key: nobody else can read it. The terminal opens it within {minutes} minutes, or never.</source>
        <translation>Versiegelt für den Verschlüsselungsschlüssel des Terminals: Niemand sonst kann es lesen. Das Terminal öffnet es innerhalb von {minutes} Minuten oder nie.</translation>
    </message>
    <message>
        <source>Seals</source>
        <translation>Siegel</translation>
    </message>
    <message>
        <source>Seal{consent}</source>
        <translation>Versiegeln{consent}</translation>
    </message>
    <message>
        <source>Search and commands</source>
        <translation>Suche und Befehle</translation>
    </message>
    <message>
        <source>Search and tick, or take everyone who has no card.</source>
        <translation>Suchen und ankreuzen, oder alle ohne Karte übernehmen.</translation>
    </message>
    <message>
        <source>Search people by name or node id</source>
        <translation>Personen nach Name oder Personen-ID suchen</translation>
    </message>
    <message>
        <source>Search people without a card</source>
        <translation>Personen ohne Karte suchen</translation>
    </message>
    <message>
        <source>Search people, ids, commands</source>
        <translation>Personen, IDs, Befehle suchen</translation>
    </message>
    <message>
        <source>Search the stock   /</source>
        <translation>Bestand durchsuchen   /</translation>
    </message>
    <message>
        <source>Search the stock by hardware_uid, product or location</source>
        <translation>Bestand nach hardware_uid, Produkt oder Lagerort durchsuchen</translation>
    </message>
    <message>
        <source>Second factor</source>
        <translation>Zweiter Faktor</translation>
    </message>
    <message>
        <source>Second notice…</source>
        <translation>Zweite Meldung…</translation>
    </message>
    <message>
        <source>Second valley, the right one</source>
        <translation>Zweite Fingermulde, die rechte</translation>
    </message>
    <message>
        <source>Secret</source>
        <translation>Geheimnis</translation>
    </message>
    <message>
        <source>Secret header</source>
        <translation>Geheimer Header</translation>
    </message>
    <message>
        <source>Secret of {source}</source>
        <translation>Geheimnis von {source}</translation>
    </message>
    <message>
        <source>Secret: {secret}. It is never shown again, and goes to this address only: with another address it must be given again.</source>
        <translation>Geheimnis: {secret}. Es wird nie wieder gezeigt und geht nur an diese Adresse: Bei anderer Adresse muss es erneut angegeben werden.</translation>
    </message>
    <message>
        <source>Sections of the HR events</source>
        <translation>Bereiche der Personalereignisse</translation>
    </message>
    <message>
        <source>Sections of the readers</source>
        <translation>Abschnitte der Lesegeräte</translation>
    </message>
    <message>
        <source>Sections of the settings</source>
        <translation>Abschnitte der Einstellungen</translation>
    </message>
    <message>
        <source>Secure channel</source>
        <translation>Sicherer Kanal</translation>
    </message>
    <message>
        <source>Secure channel (SCP03)</source>
        <translation>Sicherer Kanal (SCP03)</translation>
    </message>
    <message>
        <source>Secure elements of the stock</source>
        <translation>Sichere Elemente des Bestands</translation>
    </message>
    <message>
        <source>Security domain</source>
        <translation>Sicherheitsdomäne</translation>
    </message>
    <message>
        <source>Security object</source>
        <translation>Sicherheitsobjekt</translation>
    </message>
    <message>
        <source>See it burn</source>
        <translation>Eine Sperrung erleben</translation>
    </message>
    <message>
        <source>See that the right microphone is chosen and not muted, then speak again.</source>
        <translation>Prüfen Sie, ob das richtige Mikrofon gewählt und nicht stummgeschaltet ist, und sprechen Sie noch einmal.</translation>
    </message>
    <message>
        <source>See the alarm</source>
        <translation>Alarm ansehen</translation>
    </message>
    <message>
        <source>See the alarm of the replayed code</source>
        <translation>Alarm des wiederholt vorgelegten Codes ansehen</translation>
    </message>
    <message>
        <source>See the other</source>
        <translation>Andere ansehen</translation>
    </message>
    <message>
        <source>See the other person</source>
        <translation>Andere Person ansehen</translation>
    </message>
    <message>
        <source>Seen by: {detectors}.</source>
        <translation>Gesehen durch: {detectors}.</translation>
    </message>
    <message>
        <source>Sees no reader</source>
        <translation>Sieht kein Lesegerät</translation>
    </message>
    <message>
        <source>Select a line: it is told here in full.</source>
        <translation>Wählen Sie eine Zeile: Hier steht sie vollständig.</translation>
    </message>
    <message>
        <source>Select a request to decide it.</source>
        <translation>Wählen Sie einen Antrag, um über ihn zu entscheiden.</translation>
    </message>
    <message>
        <source>Select an APDU: what was sent and answered, element by element.</source>
        <translation>Wählen Sie eine APDU: was gesendet und geantwortet wurde, Element für Element.</translation>
    </message>
    <message>
        <source>Selected</source>
        <translation>Gewählt</translation>
    </message>
    <message>
        <source>Selected {start} to {end}</source>
        <translation>Gewählt {start} bis {end}</translation>
    </message>
    <message>
        <source>Send a signed test</source>
        <translation>Signierten Test senden</translation>
    </message>
    <message>
        <source>Send a signed test as {source}</source>
        <translation>Signierten Test als {source} senden</translation>
    </message>
    <message>
        <source>Send a signed test to see that signature and clock are right: it burns nobody and stands here.</source>
        <translation>Senden Sie einen signierten Test, um Signatur und Uhr zu prüfen: Er sperrt niemanden und erscheint hier.</translation>
    </message>
    <message>
        <source>Send a smaller file. Do not scale it down: that destroys the traces.</source>
        <translation>Senden Sie eine kleinere Datei. Skalieren Sie sie nicht: Das zerstört die Spuren.</translation>
    </message>
    <message>
        <source>Send again…</source>
        <translation>Erneut senden…</translation>
    </message>
    <message>
        <source>Send it again</source>
        <translation>Erneut senden</translation>
    </message>
    <message>
        <source>Send it again?</source>
        <translation>Erneut senden?</translation>
    </message>
    <message>
        <source>Send it as JPEG, PNG, WebP, TIFF, GIF, BMP or a video file.</source>
        <translation>Senden Sie es als JPEG, PNG, WebP, TIFF, GIF, BMP oder Videodatei.</translation>
    </message>
    <message>
        <source>Send takedown notices at once, too</source>
        <translation>Auch Löschaufforderungen sofort senden</translation>
    </message>
    <message>
        <source>Send the recording itself: magnitudes alone do not show whether a voice is living.</source>
        <translation>Senden Sie die Aufnahme selbst: Beträge allein zeigen nicht, ob eine Stimme lebt.</translation>
    </message>
    <message>
        <source>Send the test</source>
        <translation>Test senden</translation>
    </message>
    <message>
        <source>Send {number}</source>
        <translation>{number} senden</translation>
    </message>
    <message>
        <source>Sending</source>
        <translation>Wird gesendet</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>Gesendet</translation>
    </message>
    <message>
        <source>Sent again after a rehire</source>
        <translation>Nach Wiedereinstellung erneut gesendet</translation>
    </message>
    <message>
        <source>Sent again soon</source>
        <translation>Bald neuer Versuch</translation>
    </message>
    <message>
        <source>Sent before</source>
        <translation>Schon gesendet</translation>
    </message>
    <message>
        <source>Sent, waits</source>
        <translation>Gesendet, wartet</translation>
    </message>
    <message>
        <source>Sent.</source>
        <translation>Gesendet.</translation>
    </message>
    <message>
        <source>Sent. The service answers when every target is proven, or at its deadline with what is.</source>
        <translation>Gesendet. Der Dienst antwortet, wenn jedes Ziel bewiesen ist, oder am Ende seiner Frist mit dem, was bewiesen ist.</translation>
    </message>
    <message>
        <source>Sent; no word from it yet.</source>
        <translation>Gesendet; noch keine Antwort.</translation>
    </message>
    <message>
        <source>Serial line or network, over an encrypted channel. The door answers on this page as soon as it is paired.</source>
        <translation>Serielle Leitung oder Netz, über einen verschlüsselten Kanal. Die Tür antwortet auf dieser Seite, sobald sie gekoppelt ist.</translation>
    </message>
    <message>
        <source>Server frames</source>
        <translation>Server-Frames</translation>
    </message>
    <message>
        <source>Server frames as a list</source>
        <translation>Server-Frames als Liste</translation>
    </message>
    <message>
        <source>Server frames, doors, persons and cards are simulated here. Nothing real is touched.</source>
        <translation>Server-Frames, Türen, Personen und Karten sind hier simuliert. Nichts Echtes wird berührt.</translation>
    </message>
    <message>
        <source>Server frames, worst first</source>
        <translation>Server-Frames, die schlechtesten zuerst</translation>
    </message>
    <message>
        <source>Service</source>
        <translation>Dienst</translation>
    </message>
    <message>
        <source>Service process</source>
        <translation>Dienstprozess</translation>
    </message>
    <message>
        <source>Service {url}</source>
        <translation>Dienst {url}</translation>
    </message>
    <message>
        <source>Service: none</source>
        <translation>Dienst: keiner</translation>
    </message>
    <message>
        <source>Service: starting</source>
        <translation>Dienst: startet</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>Sitzung</translation>
    </message>
    <message>
        <source>Set</source>
        <comment>button</comment>
        <translation>Setzen</translation>
    </message>
    <message>
        <source>Set</source>
        <comment>state</comment>
        <translation>Gesetzt</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>Setzen</translation>
    </message>
    <message>
        <source>Set a passphrase</source>
        <translation>Passphrase setzen</translation>
    </message>
    <message>
        <source>Set a passphrase for {name}</source>
        <translation>Passphrase für {name} setzen</translation>
    </message>
    <message>
        <source>Set of authentic pictures</source>
        <translation>Menge authentischer Bilder</translation>
    </message>
    <message>
        <source>Set the PIN</source>
        <translation>PIN setzen</translation>
    </message>
    <message>
        <source>Set the PUK</source>
        <translation>PUK setzen</translation>
    </message>
    <message>
        <source>Set the management key</source>
        <translation>Verwaltungsschlüssel setzen</translation>
    </message>
    <message>
        <source>Set the passphrase</source>
        <translation>Passphrase setzen</translation>
    </message>
    <message>
        <source>Set the torn card aside</source>
        <translation>Halb geschriebene Karte zurückstellen</translation>
    </message>
    <message>
        <source>Set {time}; sealed, never shown</source>
        <translation>Gesetzt {time}; versiegelt, nie angezeigt</translation>
    </message>
    <message>
        <source>Sets, changes or removes the keys that the element came with.</source>
        <translation>Setzt, ändert oder entfernt die Schlüssel, mit denen das Element geliefert wurde.</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Set{secret}</source>
        <translation>Vorhanden{secret}</translation>
    </message>
    <message>
        <source>Seven days more</source>
        <translation>Noch sieben Tage</translation>
    </message>
    <message>
        <source>Several operators have this name: sign in by card, or type the id (op_…).</source>
        <translation>Mehrere Bediener heißen so: Melden Sie sich mit Karte an oder geben Sie die ID ein (op_…).</translation>
    </message>
    <message>
        <source>Shared Signals</source>
        <translation>Shared Signals</translation>
    </message>
    <message>
        <source>Shared signals</source>
        <translation>Shared Signals</translation>
    </message>
    <message>
        <source>Sharpness</source>
        <translation>Schärfe</translation>
    </message>
    <message>
        <source>Shift and Ctrl choose several. Enter shows what a burn would touch.</source>
        <translation>Umschalt und Strg wählen mehrere. Die Eingabetaste zeigt, was eine Sperrung beträfe.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show a code</source>
        <translation>Code zeigen</translation>
    </message>
    <message>
        <source>Show all batches</source>
        <translation>Alle Stapel zeigen</translation>
    </message>
    <message>
        <source>Show all keys</source>
        <translation>Alle Tasten zeigen</translation>
    </message>
    <message>
        <source>Show as a table</source>
        <translation>Als Tabelle zeigen</translation>
    </message>
    <message>
        <source>Show each of the {count} good checks</source>
        <translation>Alle {count} guten Prüfungen zeigen</translation>
    </message>
    <message>
        <source>Show everybody</source>
        <translation>Alle zeigen</translation>
    </message>
    <message>
        <source>Show in audit</source>
        <translation>Im Audit zeigen</translation>
    </message>
    <message>
        <source>Show keys and proof</source>
        <translation>Schlüssel und Beweis zeigen</translation>
    </message>
    <message>
        <source>Show older burns</source>
        <translation>Ältere Sperrungen zeigen</translation>
    </message>
    <message>
        <source>Show or hide revoked keys</source>
        <translation>Widerrufene ein/aus</translation>
    </message>
    <message>
        <source>Show or hide the weaker places</source>
        <translation>Schwächere Stellen zeigen oder verbergen</translation>
    </message>
    <message>
        <source>Show reader doctor</source>
        <translation>Lesegeräte-Diagnose zeigen</translation>
    </message>
    <message>
        <source>Show receipt and badge</source>
        <translation>Beleg und Ausweis zeigen</translation>
    </message>
    <message>
        <source>Show requests for a second key</source>
        <translation>Anträge auf einen zweiten Schlüssel zeigen</translation>
    </message>
    <message>
        <source>Show text at {scale} %</source>
        <translation>Text mit {scale} % zeigen</translation>
    </message>
    <message>
        <source>Show the APDU trace</source>
        <translation>APDU-Trace zeigen</translation>
    </message>
    <message>
        <source>Show the batch</source>
        <translation>Stapel zeigen</translation>
    </message>
    <message>
        <source>Show the cards written</source>
        <translation>Die geschriebenen Karten zeigen</translation>
    </message>
    <message>
        <source>Show the chart of handshakes</source>
        <translation>Das Diagramm der Handshakes zeigen</translation>
    </message>
    <message>
        <source>Show the code</source>
        <translation>Code zeigen</translation>
    </message>
    <message>
        <source>Show the code in the full window</source>
        <translation>Code im ganzen Fenster zeigen</translation>
    </message>
    <message>
        <source>Show the desk</source>
        <translation>Leitstelle zeigen</translation>
    </message>
    <message>
        <source>Show the doors</source>
        <translation>Türen zeigen</translation>
    </message>
    <message>
        <source>Show the evidence</source>
        <translation>Beweise zeigen</translation>
    </message>
    <message>
        <source>Show the first steps</source>
        <translation>Erste Schritte zeigen</translation>
    </message>
    <message>
        <source>Show the frames as a grid</source>
        <translation>Die Frames als Raster zeigen</translation>
    </message>
    <message>
        <source>Show the frames as a list</source>
        <translation>Die Frames als Liste zeigen</translation>
    </message>
    <message>
        <source>Show the grants</source>
        <translation>Berechtigungen zeigen</translation>
    </message>
    <message>
        <source>Show the newest entries</source>
        <translation>Neueste Einträge zeigen</translation>
    </message>
    <message>
        <source>Show the person in the audit log</source>
        <translation>Person im Audit-Protokoll zeigen</translation>
    </message>
    <message>
        <source>Show the strongest alone</source>
        <translation>Nur die stärksten zeigen</translation>
    </message>
    <message>
        <source>Show the subject</source>
        <translation>Person zeigen</translation>
    </message>
    <message>
        <source>Show the terminal&apos;s code</source>
        <translation>Code des Terminals zeigen</translation>
    </message>
    <message>
        <source>Show the units</source>
        <translation>Einheiten zeigen</translation>
    </message>
    <message>
        <source>Show the whole picture</source>
        <translation>Ganzes Bild zeigen</translation>
    </message>
    <message>
        <source>Show what needs two keys</source>
        <translation>Zeigen, was zwei Schlüssel braucht</translation>
    </message>
    <message>
        <source>Show whether burns are fast enough</source>
        <translation>Zeigen, ob Sperrungen schnell genug sind</translation>
    </message>
    <message>
        <source>Show who is contained</source>
        <translation>Zeigen, wer festgesetzt ist</translation>
    </message>
    <message>
        <source>Show {count} weaker places</source>
        <translation>{count} schwächere Stellen zeigen</translation>
    </message>
    <message>
        <source>Shown</source>
        <translation>Gezeigt</translation>
    </message>
    <message>
        <source>Shows or hides what programs know the entry by.</source>
        <translation>Zeigt oder verbirgt, woran Programme den Eintrag erkennen.</translation>
    </message>
    <message>
        <source>Shows the fraud</source>
        <translation>Zeigt den Betrug</translation>
    </message>
    <message>
        <source>Shows what that would touch; it is held or typed, as any burn.</source>
        <translation>Zeigt, was das beträfe; gehalten oder getippt wie jede Sperrung.</translation>
    </message>
    <message>
        <source>Sign in</source>
        <translation>Anmelden</translation>
    </message>
    <message>
        <source>Sign in as {name}</source>
        <translation>Als {name} anmelden</translation>
    </message>
    <message>
        <source>Sign in in the browser</source>
        <translation>Im Browser anmelden</translation>
    </message>
    <message>
        <source>Sign in, then try again.</source>
        <translation>Melden Sie sich an und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>Sign out everywhere</source>
        <translation>Überall abmelden</translation>
    </message>
    <message>
        <source>Sign the objects on the card</source>
        <translation>Objekte der Karte signieren</translation>
    </message>
    <message>
        <source>Sign {name} out</source>
        <translation>{name} abmelden</translation>
    </message>
    <message>
        <source>Sign-in</source>
        <translation>Anmeldung</translation>
    </message>
    <message>
        <source>Sign-in by {method}</source>
        <translation>Anmeldung durch {method}</translation>
    </message>
    <message>
        <source>Signature</source>
        <translation>Signatur</translation>
    </message>
    <message>
        <source>Signature of the site</source>
        <translation>Signatur des Standorts</translation>
    </message>
    <message>
        <source>Signed</source>
        <translation>Signiert</translation>
    </message>
    <message>
        <source>Signed bundle</source>
        <translation>Signiertes Paket</translation>
    </message>
    <message>
        <source>Signed in</source>
        <translation>Angemeldet</translation>
    </message>
    <message>
        <source>Signed in {count} times</source>
        <translation>{count}-mal angemeldet</translation>
    </message>
    <message>
        <source>Signed in: {name}</source>
        <translation>Angemeldet: {name}</translation>
    </message>
    <message>
        <source>Signed off by: {person}</source>
        <translation>Abgezeichnet von: {person}</translation>
    </message>
    <message>
        <source>Signed test as {source}</source>
        <translation>Signierter Test als {source}</translation>
    </message>
    <message>
        <source>Signed under the id of an earlier call that said something else: nothing was done. Ask HR.</source>
        <translation>Signiert unter der ID eines früheren Aufrufs mit anderem Inhalt: Nichts wurde getan. Fragen Sie die Personalabteilung.</translation>
    </message>
    <message>
        <source>Signed with a secret of this source, at a time within 5 minutes of ours.</source>
        <translation>Signiert mit einem Geheimnis dieser Quelle, höchstens 5 Minuten von unserer Zeit entfernt.</translation>
    </message>
    <message>
        <source>Signs in by</source>
        <translation>Meldet sich an mit</translation>
    </message>
    <message>
        <source>Signs it. What is complete leaves at once; what is not waits for its details.</source>
        <translation>Signiert sie. Was vollständig ist, geht sofort hinaus; was unvollständig ist, wartet auf seine Angaben.</translation>
    </message>
    <message>
        <source>Silent</source>
        <translation>Stumm</translation>
    </message>
    <message>
        <source>Simulated readers</source>
        <translation>Simulierte Lesegeräte</translation>
    </message>
    <message>
        <source>Since this console was started.</source>
        <translation>Seit dem Start dieser Konsole.</translation>
    </message>
    <message>
        <source>Site</source>
        <translation>Standort</translation>
    </message>
    <message>
        <source>Site report</source>
        <translation>Standortbericht</translation>
    </message>
    <message>
        <source>Size of the picture here against its own. Both views move together.</source>
        <translation>Größe des Bilds hier gegenüber der eigenen. Beide Ansichten bewegen sich gemeinsam.</translation>
    </message>
    <message>
        <source>Slow</source>
        <translation>Langsam</translation>
    </message>
    <message>
        <source>Slow link</source>
        <translation>Langsame Verbindung</translation>
    </message>
    <message>
        <source>Slow ×{factor:.1f}</source>
        <translation>Langsam ×{factor:.1f}</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Kleinerer Text</translation>
    </message>
    <message>
        <source>Software</source>
        <translation>Software</translation>
    </message>
    <message>
        <source>Somebody guesses a passphrase</source>
        <translation>Jemand rät eine Passphrase</translation>
    </message>
    <message>
        <source>Somebody who signs in at the desk.</source>
        <translation>Jemand, der sich am Arbeitsplatz anmeldet.</translation>
    </message>
    <message>
        <source>Something in the console failed. {error}</source>
        <translation>Etwas in der Konsole ist fehlgeschlagen. {error}</translation>
    </message>
    <message>
        <source>Something in the console failed. {name}: {error}</source>
        <translation>Etwas in der Konsole ist fehlgeschlagen. {name}: {error}</translation>
    </message>
    <message>
        <source>Something needs somebody</source>
        <translation>Etwas braucht jemanden</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>Sortieren nach</translation>
    </message>
    <message>
        <source>Sort by the next column</source>
        <translation>Nach der nächsten Spalte sortieren</translation>
    </message>
    <message>
        <source>Sort the table by its next column</source>
        <translation>Tabelle nach der nächsten Spalte sortieren</translation>
    </message>
    <message>
        <source>Sound was not taken in time. Speak again.</source>
        <translation>Der Ton wurde nicht rechtzeitig abgeholt. Sprechen Sie noch einmal.</translation>
    </message>
    <message>
        <source>Sounds</source>
        <translation>Töne</translation>
    </message>
    <message>
        <source>Sounds are off.</source>
        <translation>Töne sind aus.</translation>
    </message>
    <message>
        <source>Sounds are on.</source>
        <translation>Töne sind ein.</translation>
    </message>
    <message>
        <source>Sounds on or off</source>
        <translation>Töne ein oder aus</translation>
    </message>
    <message>
        <source>Sounds: one for each card of a batch</source>
        <translation>Töne: einer für jede Karte eines Stapels</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Source id</source>
        <translation>ID der Quelle</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>Quellen</translation>
    </message>
    <message>
        <source>Sources, dates, sign-off, and what this site changed.</source>
        <translation>Quellen, Datumsangaben, Abzeichnung und was dieser Standort geändert hat.</translation>
    </message>
    <message>
        <source>Sovereign</source>
        <translation>Sovereign</translation>
    </message>
    <message>
        <source>Sovereign frames</source>
        <translation>Sovereign-Frames</translation>
    </message>
    <message>
        <source>Sovereign: all but burning, keys and the registry</source>
        <translation>Sovereign: alles außer Sperren, Schlüsseln und Register</translation>
    </message>
    <message>
        <source>Space does it, too, wherever no field and no other button has the focus.</source>
        <translation>Die Leertaste tut es auch, wo kein Feld und keine andere Schaltfläche den Fokus hat.</translation>
    </message>
    <message>
        <source>Space ticks one, Enter takes the ticked ones. Addresses come from the registry, never from the draft.</source>
        <translation>Die Leertaste kreuzt an, die Eingabetaste übernimmt die angekreuzten. Adressen kommen aus dem Register, nie aus dem Entwurf.</translation>
    </message>
    <message>
        <source>Span</source>
        <translation>Zeitraum</translation>
    </message>
    <message>
        <source>Span of the percentiles and of the chart</source>
        <translation>Zeitraum der Perzentile und des Diagramms</translation>
    </message>
    <message>
        <source>Span of the report</source>
        <translation>Zeitraum des Berichts</translation>
    </message>
    <message>
        <source>Speak</source>
        <translation>Sprechen</translation>
    </message>
    <message>
        <source>Speak again, longer: with less than 4 s of speech nothing is recorded as a match.</source>
        <translation>Sprechen Sie noch einmal, und länger: Mit weniger als 4 s Sprache wird nichts als Übereinstimmung vermerkt.</translation>
    </message>
    <message>
        <source>Speak again. This recording may have been judged: sent once more it would count as replayed.</source>
        <translation>Sprechen Sie noch einmal. Diese Aufnahme wurde womöglich schon beurteilt: Noch einmal gesendet, gälte sie als wiederholt vorgelegt.</translation>
    </message>
    <message>
        <source>Speak again: eight seconds without long pauses.</source>
        <translation>Sprechen Sie noch einmal: acht Sekunden ohne lange Pausen.</translation>
    </message>
    <message>
        <source>Speak again: eight seconds, near the microphone, in a quiet place.</source>
        <translation>Sprechen Sie noch einmal: acht Sekunden, nahe am Mikrofon, an einem ruhigen Ort.</translation>
    </message>
    <message>
        <source>Speaker</source>
        <translation>Sprecher</translation>
    </message>
    <message>
        <source>Spectrogram</source>
        <translation>Spektrogramm</translation>
    </message>
    <message>
        <source>Speech heard</source>
        <translation>Gehörte Sprache</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Staff directory</source>
        <translation>Mitarbeiterverzeichnis</translation>
    </message>
    <message>
        <source>Stages, APDUs and the proof of this line; or the person, when nothing was written.</source>
        <translation>Stufen, APDUs und Beweis dieser Zeile; oder die Person, wenn nichts geschrieben wurde.</translation>
    </message>
    <message>
        <source>Stale</source>
        <translation>Veraltet</translation>
    </message>
    <message>
        <source>Stalls of ours</source>
        <translation>Eigene Stillstände</translation>
    </message>
    <message>
        <source>Stalls of the machine</source>
        <translation>Stillstände des Rechners</translation>
    </message>
    <message>
        <source>Standing</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Standing and what happened show that moment; names, and what is named “now”, are of now.</source>
        <translation>Status und Geschehenes zeigen jenen Moment; Namen und was „jetzt“ im Namen trägt, sind von jetzt.</translation>
    </message>
    <message>
        <source>Stands in the list, for those who read it</source>
        <translation>Steht in der Liste für alle, die sie lesen</translation>
    </message>
    <message>
        <source>Start batch {label}</source>
        <translation>Stapel {label} beginnen</translation>
    </message>
    <message>
        <source>Start from</source>
        <translation>Beginnen mit</translation>
    </message>
    <message>
        <source>Start or stop the recording</source>
        <translation>Aufnahme starten oder anhalten</translation>
    </message>
    <message>
        <source>Start the batch</source>
        <translation>Stapel beginnen</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>Starting the service</source>
        <translation>Der Dienst startet</translation>
    </message>
    <message>
        <source>Starting the service again</source>
        <translation>Der Dienst startet erneut</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Stand</translation>
    </message>
    <message>
        <source>State of the elements shown</source>
        <translation>Stand der gezeigten Elemente</translation>
    </message>
    <message>
        <source>State of the site</source>
        <translation>Zustand des Standorts</translation>
    </message>
    <message>
        <source>Statements</source>
        <translation>Aussagen</translation>
    </message>
    <message>
        <source>Statements about the consent, first to last</source>
        <translation>Aussagen zur Einwilligung, von der ersten zur letzten</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Status, handshakes and history show that moment; the list of frames is of now.</source>
        <translation>Status, Handshakes und Verlauf zeigen jenen Moment; die Liste der Frames ist von jetzt.</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>Bleiben</translation>
    </message>
    <message>
        <source>Stay in the tray, call for alarms</source>
        <translation>Im Infobereich bleiben, bei Alarm rufen</translation>
    </message>
    <message>
        <source>Stays open after this burn</source>
        <translation>Bleibt nach dieser Sperrung offen</translation>
    </message>
    <message>
        <source>Stock</source>
        <translation>Bestand</translation>
    </message>
    <message>
        <source>Stolen reader, incident 4711</source>
        <translation>Gestohlenes Lesegerät, Vorfall 4711</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop showing the code</source>
        <translation>Code nicht mehr zeigen</translation>
    </message>
    <message>
        <source>Stop the feed</source>
        <translation>Feed anhalten</translation>
    </message>
    <message>
        <source>Stop the scan</source>
        <translation>Prüfung anhalten</translation>
    </message>
    <message>
        <source>Stop this scan</source>
        <translation>Diese Prüfung anhalten</translation>
    </message>
    <message>
        <source>Stop trusting</source>
        <translation>Vertrauen entziehen</translation>
    </message>
    <message>
        <source>Stop trusting {maker}?</source>
        <translation>Vertrauen entziehen: {maker}?</translation>
    </message>
    <message>
        <source>Stop {name}</source>
        <translation>{name} anhalten</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Stopping after this part</source>
        <translation>Hält nach diesem Teil an</translation>
    </message>
    <message>
        <source>Stored: one vocal signature of 16 KiB, numbers from which no speech can be made, sealed, and turned by a key of its own. A burn or an erasure removes it. Not stored: the takes. They are overwritten in this console&apos;s memory when they were sent, when you leave, and when another person is chosen; copies made to send and to show them are freed, not overwritten.</source>
        <translation>Gespeichert: eine Stimmsignatur von 16 KiB, Zahlen, aus denen sich keine Sprache erzeugen lässt, versiegelt und mit einem eigenen Schlüssel gedreht. Eine Sperrung oder Löschung entfernt sie. Nicht gespeichert: die Sprechproben. Sie werden im Speicher dieser Konsole überschrieben, sobald sie gesendet sind, wenn Sie die Seite verlassen und wenn eine andere Person gewählt wird; Kopien zum Senden und Anzeigen werden freigegeben, nicht überschrieben.</translation>
    </message>
    <message>
        <source>Stream lag</source>
        <translation>Verzug des Stroms</translation>
    </message>
    <message>
        <source>Stream lost</source>
        <translation>Datenstrom verloren</translation>
    </message>
    <message>
        <source>Strike</source>
        <translation>Vorgang</translation>
    </message>
    <message>
        <source>Stylized</source>
        <translation>Stilisiert</translation>
    </message>
    <message>
        <source>Stylized enrolled</source>
        <translation>Stilisiert erfasst</translation>
    </message>
    <message>
        <source>Stylized template</source>
        <translation>Stilisiertes Template</translation>
    </message>
    <message>
        <source>Stylized template enrolled</source>
        <translation>Stilisiertes Template erfasst</translation>
    </message>
    <message>
        <source>Stylized template of {person} enrolled</source>
        <translation>Stilisiertes Template von {person} erfasst</translation>
    </message>
    <message>
        <source>Subject</source>
        <comment>burn</comment>
        <translation>Person</translation>
    </message>
    <message>
        <source>Subject</source>
        <translation>Inhaber</translation>
    </message>
    <message>
        <source>Subject at the provider</source>
        <translation>Subject beim Anbieter</translation>
    </message>
    <message>
        <source>Sun</source>
        <translation>So</translation>
    </message>
    <message>
        <source>Supply details</source>
        <translation>Angaben nachreichen</translation>
    </message>
    <message>
        <source>Supply details of {token}</source>
        <translation>Angaben zu {token} nachreichen</translation>
    </message>
    <message>
        <source>Supply details…</source>
        <translation>Angaben nachreichen…</translation>
    </message>
    <message>
        <source>Supply the details</source>
        <translation>Angaben nachreichen</translation>
    </message>
    <message>
        <source>Supply the missing details</source>
        <translation>Fehlende Angaben nachreichen</translation>
    </message>
    <message>
        <source>Suspended</source>
        <translation>Ausgesetzt</translation>
    </message>
    <message>
        <source>Suspicious</source>
        <translation>Verdächtig</translation>
    </message>
    <message>
        <source>Swap</source>
        <translation>Tauschen</translation>
    </message>
    <message>
        <source>Swap the marks</source>
        <translation>Marken tauschen</translation>
    </message>
    <message>
        <source>Switch dark and light</source>
        <translation>Dunkel und hell wechseln</translation>
    </message>
    <message>
        <source>Switch operator</source>
        <translation>Bediener wechseln</translation>
    </message>
    <message>
        <source>Switched off</source>
        <translation>Abgeschaltet</translation>
    </message>
    <message>
        <source>Syn-
thetic</source>
        <translation>Synthe-
tisch</translation>
    </message>
    <message>
        <source>Sync the profile</source>
        <translation>Profil abgleichen</translation>
    </message>
    <message>
        <source>Sync to a cluster</source>
        <translation>Mit einer Türgruppe abgleichen</translation>
    </message>
    <message>
        <source>Sync {profile} to {cluster}</source>
        <translation>{profile} mit {cluster} abgleichen</translation>
    </message>
    <message>
        <source>Synthetic</source>
        <translation>Synthetisch</translation>
    </message>
    <message>
        <source>Synthetic as a whole</source>
        <translation>Synthetisch im Ganzen</translation>
    </message>
    <message>
        <source>Synthetic suspected</source>
        <translation>Synthetik-Verdacht</translation>
    </message>
    <message>
        <source>Synthetic voices were presented</source>
        <translation>Synthetische Stimmen wurden vorgelegt</translation>
    </message>
    <message>
        <source>Systems</source>
        <translation>Systeme</translation>
    </message>
    <message>
        <source>TAGS</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>TARGET</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>TARGETS</source>
        <translation>Ziele</translation>
    </message>
    <message>
        <source>TEMPLATES</source>
        <translation>Templates</translation>
    </message>
    <message>
        <source>TERMINAL</source>
        <translation>Terminal</translation>
    </message>
    <message>
        <source>TIME</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>TIME, UTC</source>
        <translation>Zeit, UTC</translation>
    </message>
    <message>
        <source>TOKEN</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>TORN</source>
        <translation>Halb</translation>
    </message>
    <message>
        <source>TRAINING</source>
        <translation>TRAINING</translation>
    </message>
    <message>
        <source>TRAINING - nothing in this report is real.</source>
        <translation>TRAINING - nichts in diesem Bericht ist echt.</translation>
    </message>
    <message>
        <source>TRAINING - the work of a training site.</source>
        <translation>TRAINING - erzeugt von einer Übungsumgebung.</translation>
    </message>
    <message>
        <source>TRAINING: a real site refuses it</source>
        <translation>TRAINING: Ein echter Standort lehnt ihn ab</translation>
    </message>
    <message>
        <source>TRAINING: five shots at {terminal}</source>
        <translation>TRAINING: fünf Aufnahmen an {terminal}</translation>
    </message>
    <message>
        <source>TRAINING: high</source>
        <translation>TRAINING: hoch</translation>
    </message>
    <message>
        <source>TRAINING: low</source>
        <translation>TRAINING: tief</translation>
    </message>
    <message>
        <source>TRAINING: on a terminal in software, which signs as a real one does.</source>
        <translation>TRAINING: auf einem Terminal in Software, das wie ein echtes signiert.</translation>
    </message>
    <message>
        <source>TRAINING: the person&apos;s drawn palm is laid down five times.</source>
        <translation>TRAINING: Die gezeichnete Handfläche der Person wird fünfmal aufgelegt.</translation>
    </message>
    <message>
        <source>TRIES</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>TYPE</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Tag list</source>
        <translation>Tag-Liste</translation>
    </message>
    <message>
        <source>Take</source>
        <translation>Übernehmen</translation>
    </message>
    <message>
        <source>Take a PIV card. If it is one, it may lie upside down or be another maker&apos;s special model.</source>
        <translation>Nehmen Sie eine PIV-Karte. Ist es eine, liegt sie vielleicht verkehrt herum oder ist ein Sondermodell eines anderen Herstellers.</translation>
    </message>
    <message>
        <source>Take a blank card.</source>
        <translation>Nehmen Sie eine leere Karte.</translation>
    </message>
    <message>
        <source>Take a card</source>
        <translation>Karte abholen</translation>
    </message>
    <message>
        <source>Take a file&apos;s digest</source>
        <translation>Prüfsumme einer Datei übernehmen</translation>
    </message>
    <message>
        <source>Take a file&apos;s digest…</source>
        <translation>Prüfsumme einer Datei…</translation>
    </message>
    <message>
        <source>Take all marks away</source>
        <translation>Alle Markierungen entfernen</translation>
    </message>
    <message>
        <source>Take back</source>
        <translation>Zurücknehmen</translation>
    </message>
    <message>
        <source>Take both</source>
        <translation>Beide annehmen</translation>
    </message>
    <message>
        <source>Take care</source>
        <translation>Zu beachten</translation>
    </message>
    <message>
        <source>Take everyone who has no card</source>
        <translation>Alle ohne Karte übernehmen</translation>
    </message>
    <message>
        <source>Take it</source>
        <translation>Übernehmen</translation>
    </message>
    <message>
        <source>Take it out</source>
        <translation>Herausnehmen</translation>
    </message>
    <message>
        <source>Take it out and put the SAME card back</source>
        <translation>Herausnehmen und DIESELBE Karte wieder einlegen</translation>
    </message>
    <message>
        <source>Take it out to use this reader</source>
        <translation>Herausnehmen, um dieses Gerät zu nutzen</translation>
    </message>
    <message>
        <source>Take it out, hand it over</source>
        <translation>Herausnehmen und übergeben</translation>
    </message>
    <message>
        <source>Take none</source>
        <translation>Niemanden übernehmen</translation>
    </message>
    <message>
        <source>Take the alarm</source>
        <translation>Alarm übernehmen</translation>
    </message>
    <message>
        <source>Take the card out of {reader}</source>
        <translation>Karte aus {reader} nehmen</translation>
    </message>
    <message>
        <source>Take the card out, wipe its contacts, put it in again, chip first; then Try again.</source>
        <translation>Nehmen Sie die Karte heraus, wischen Sie die Kontakte ab, legen Sie sie mit dem Chip voran wieder ein; dann „Erneut versuchen“.</translation>
    </message>
    <message>
        <source>Take the marks away</source>
        <translation>Markierungen entfernen</translation>
    </message>
    <message>
        <source>Take the most pressing alarm</source>
        <translation>Den dringendsten Alarm übernehmen</translation>
    </message>
    <message>
        <source>Take the next step of the notice</source>
        <translation>Nächsten Schritt der Meldung tun</translation>
    </message>
    <message>
        <source>Take the rights of a training person away and watch the doors refuse, each with its own time. Then read the sealed proof.</source>
        <translation>Nehmen Sie einer Übungsperson alle Rechte und sehen Sie zu, wie die Türen ablehnen, jede mit ihrer Zeit. Lesen Sie dann den versiegelten Beweis.</translation>
    </message>
    <message>
        <source>Take the selection away</source>
        <translation>Auswahl aufheben</translation>
    </message>
    <message>
        <source>Take the square</source>
        <translation>Quadrat übernehmen</translation>
    </message>
    <message>
        <source>Take these</source>
        <translation>Übernehmen</translation>
    </message>
    <message>
        <source>Take this alarm</source>
        <translation>Diesen Alarm übernehmen</translation>
    </message>
    <message>
        <source>Take {count}</source>
        <translation>{count} übernehmen</translation>
    </message>
    <message>
        <source>Take {numbers}: </source>
        <translation>Sprechprobe {numbers}: </translation>
    </message>
    <message>
        <source>Takedown</source>
        <translation>Löschaufforderung</translation>
    </message>
    <message>
        <source>Takedown notices wait until this is supplied: {names}.</source>
        <translation>Löschaufforderungen warten, bis dies nachgereicht ist: {names}.</translation>
    </message>
    <message>
        <source>Taken</source>
        <comment>sample</comment>
        <translation>Übernommen</translation>
    </message>
    <message>
        <source>Taken</source>
        <translation>Übernommen</translation>
    </message>
    <message>
        <source>Taken by {owner}.</source>
        <translation>Übernommen von {owner}.</translation>
    </message>
    <message>
        <source>Taken out of the registry</source>
        <translation>Aus dem Register entfernt</translation>
    </message>
    <message>
        <source>Taken out of use for good; it is not written.</source>
        <translation>Endgültig außer Gebrauch; es wird nicht geschrieben.</translation>
    </message>
    <message>
        <source>Taken {at}</source>
        <translation>Übernommen {at}</translation>
    </message>
    <message>
        <source>Taken {time} by {owner}.</source>
        <translation>Übernommen {time} durch {owner}.</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>Sprechproben</translation>
    </message>
    <message>
        <source>Takes it, unread</source>
        <translation>Nimmt an, ungelesen</translation>
    </message>
    <message>
        <source>Takes of this enrolment</source>
        <translation>Sprechproben dieser Erfassung</translation>
    </message>
    <message>
        <source>Takes the last mark of a card that was given back.</source>
        <translation>Nimmt den letzten Vermerk einer ausgegebenen Karte zurück.</translation>
    </message>
    <message>
        <source>Targets</source>
        <translation>Ziele</translation>
    </message>
    <message>
        <source>Targets of the burn</source>
        <translation>Ziele der Sperrung</translation>
    </message>
    <message>
        <source>Targets of the burn were proven</source>
        <translation>Ziele der Sperrung bewiesen</translation>
    </message>
    <message>
        <source>Targets over time</source>
        <translation>Ziele über der Zeit</translation>
    </message>
    <message>
        <source>Telemetry stream</source>
        <translation>Telemetriestrom</translation>
    </message>
    <message>
        <source>Telephone</source>
        <translation>Telefon</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>Template</translation>
    </message>
    <message>
        <source>Template registries</source>
        <translation>Template-Register</translation>
    </message>
    <message>
        <source>Template registry</source>
        <translation>Template-Register</translation>
    </message>
    <message>
        <source>Templates</source>
        <translation>Templates</translation>
    </message>
    <message>
        <source>Templates enrolled</source>
        <translation>Templates erfasst</translation>
    </message>
    <message>
        <source>Templates erased</source>
        <translation>Templates gelöscht</translation>
    </message>
    <message>
        <source>Temporal jump</source>
        <translation>Zeitsprung</translation>
    </message>
    <message>
        <source>Ten takes</source>
        <translation>Zehn Sprechproben</translation>
    </message>
    <message>
        <source>Terminal</source>
        <translation>Terminal</translation>
    </message>
    <message>
        <source>Terminal id</source>
        <translation>Terminal-ID</translation>
    </message>
    <message>
        <source>Terminal that captures</source>
        <translation>Terminal für die Aufnahme</translation>
    </message>
    <message>
        <source>Terminals</source>
        <translation>Terminals</translation>
    </message>
    <message>
        <source>Terminals, the last 24 hours</source>
        <translation>Terminals, die letzten 24 Stunden</translation>
    </message>
    <message>
        <source>Test received and verified: {source} signed it, {done} ({event}).</source>
        <translation>Test empfangen und geprüft: signiert durch {source}, {done} ({event}).</translation>
    </message>
    <message>
        <source>Test, verified</source>
        <translation>Test, geprüft</translation>
    </message>
    <message>
        <source>Text follows a closing quotation mark; a mark that belongs to the text is written twice.</source>
        <translation>Auf ein schließendes Anführungszeichen folgt Text; gehört ein Zeichen zum Text, wird es doppelt geschrieben.</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Schriftgröße</translation>
    </message>
    <message>
        <source>That day</source>
        <translation>Jener Tag</translation>
    </message>
    <message>
        <source>That is not {word}. Nothing was burned.</source>
        <translation>Das ist nicht {word}. Nichts wurde gesperrt.</translation>
    </message>
    <message>
        <source>That is not {word}. Nothing was done.</source>
        <translation>Das ist nicht {word}. Nichts wurde getan.</translation>
    </message>
    <message>
        <source>That is not {word}. Nothing was revoked.</source>
        <translation>Das ist nicht {word}. Nichts wurde widerrufen.</translation>
    </message>
    <message>
        <source>The C2PA manifests in it are checked by arc-console verify.</source>
        <translation>Die C2PA-Manifeste darin prüft arc-console verify.</translation>
    </message>
    <message>
        <source>The HR inbox needs somebody</source>
        <translation>Der Personaleingang braucht jemanden</translation>
    </message>
    <message>
        <source>The PIN is given out once, as a PDF; afterwards it exists nowhere else.</source>
        <translation>Die PIN wird einmal ausgegeben, als PDF; danach gibt es sie nirgends sonst.</translation>
    </message>
    <message>
        <source>The PIN is given out once, straight to the printer for letters.</source>
        <translation>Die PIN wird einmal ausgegeben, direkt an den Drucker für Briefe.</translation>
    </message>
    <message>
        <source>The PIN was given out; it is kept nowhere. {lost}</source>
        <translation>Die PIN wurde ausgegeben; sie ist nirgends gespeichert. {lost}</translation>
    </message>
    <message>
        <source>The PIN was not given out.</source>
        <translation>Die PIN wurde nicht ausgegeben.</translation>
    </message>
    <message>
        <source>The address for HR is on the clipboard.</source>
        <translation>Die Adresse für das Personalsystem ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>The address of {reader} is a number.</source>
        <translation>Die Adresse von {reader} muss eine Zahl sein.</translation>
    </message>
    <message>
        <source>The alarm about {person} was closed</source>
        <translation>Der Alarm zu {person} wurde beendet</translation>
    </message>
    <message>
        <source>The alarm was closed</source>
        <translation>Alarm geschlossen</translation>
    </message>
    <message>
        <source>The alarm was taken</source>
        <translation>Alarm übernommen</translation>
    </message>
    <message>
        <source>The alarm was taken{note}</source>
        <translation>Der Alarm wurde übernommen{note}</translation>
    </message>
    <message>
        <source>The answer was lost, so nobody knows whether it was accepted: scan the code that is shown now.</source>
        <translation>Die Antwort ging verloren, daher weiß niemand, ob er angenommen wurde: Scannen Sie den Code, der jetzt gezeigt wird.</translation>
    </message>
    <message>
        <source>The answer was lost; the same call is made again.</source>
        <translation>Die Antwort ging verloren; derselbe Aufruf wird wiederholt.</translation>
    </message>
    <message>
        <source>The audit log has no change of it since that moment.</source>
        <translation>Das Audit-Protokoll enthält seit jenem Moment keine Änderung daran.</translation>
    </message>
    <message>
        <source>The audit log is being read back to that moment.</source>
        <translation>Das Audit-Protokoll wird bis zu jenem Moment zurück gelesen.</translation>
    </message>
    <message>
        <source>The audit log of the last 365 days has no entry that names {id}: nothing proves it.</source>
        <translation>Das Audit-Protokoll der letzten 365 Tage hat keinen Eintrag, der {id} nennt: Nichts beweist es.</translation>
    </message>
    <message>
        <source>The audit log was not read up to that moment yet.</source>
        <translation>Das Audit-Protokoll wurde noch nicht bis zu jenem Moment gelesen.</translation>
    </message>
    <message>
        <source>The audit log was not read yet.</source>
        <translation>Das Audit-Protokoll wurde noch nicht gelesen.</translation>
    </message>
    <message>
        <source>The badge</source>
        <translation>Der Ausweis</translation>
    </message>
    <message>
        <source>The band is the exact 95 % interval (Clopper and Pearson). Model {model}.</source>
        <translation>Das Band ist das exakte 95-%-Intervall (Clopper und Pearson). Modell {model}.</translation>
    </message>
    <message>
        <source>The batch is being made.</source>
        <translation>Der Stapel wird angelegt.</translation>
    </message>
    <message>
        <source>The batch needs a label.</source>
        <translation>Der Stapel braucht eine Bezeichnung.</translation>
    </message>
    <message>
        <source>The baud rate of {reader} is a number.</source>
        <translation>Die Baudrate von {reader} muss eine Zahl sein.</translation>
    </message>
    <message>
        <source>The beginning of the log is not known.</source>
        <translation>Der Anfang des Protokolls ist nicht bekannt.</translation>
    </message>
    <message>
        <source>The brake on discharges holds {person}</source>
        <translation>Die Bremse für Austritte hält {person}</translation>
    </message>
    <message>
        <source>The brake: far more discharges than this source may send. Nothing was denied yet. Ask HR at once.</source>
        <translation>Die Bremse: weit mehr Austritte, als diese Quelle senden darf. Noch wird niemand abgewiesen. Fragen Sie sofort die Personalabteilung.</translation>
    </message>
    <message>
        <source>The brake: more discharges than this source may send. The nodes are contained, not burned. Ask HR.</source>
        <translation>Die Bremse: mehr Austritte, als diese Quelle senden darf. Die Personen sind festgesetzt, nicht gesperrt. Fragen Sie die Personalabteilung.</translation>
    </message>
    <message>
        <source>The bundle</source>
        <translation>Das Paket</translation>
    </message>
    <message>
        <source>The bundle holds the order, every target&apos;s proof, the C2PA manifests, a report and what proves that the log has it. Verify now checks the bundle on this machine; arc-console verify FILE does so anywhere.</source>
        <translation>Das Paket enthält den Auftrag, den Beweis jedes Ziels, die C2PA-Manifeste, einen Bericht und den Beweis, dass die Sperrung im Protokoll steht. „Jetzt prüfen“ prüft das Paket auf diesem Rechner; arc-console verify DATEI tut es überall.</translation>
    </message>
    <message>
        <source>The bundle is larger than those of a scan.</source>
        <translation>Das Paket ist größer als das einer Prüfung.</translation>
    </message>
    <message>
        <source>The bundle is no zip with the report of a scan.</source>
        <translation>Das Paket ist kein Zip mit dem Bericht einer Prüfung.</translation>
    </message>
    <message>
        <source>The bundle of {terminal}</source>
        <translation>Das Paket von {terminal}</translation>
    </message>
    <message>
        <source>The bundle of {token} is saved as soon as witnesses have signed for its newest entry.</source>
        <translation>Das Beweispaket von {token} wird gespeichert, sobald Zeugen seinen neuesten Eintrag mitgezeichnet haben.</translation>
    </message>
    <message>
        <source>The burn of {person} is lifted. What it held stays revoked; issue anew.</source>
        <translation>Die Sperrung von {person} ist aufgehoben. Was die Person hatte, bleibt widerrufen; stellen Sie es neu aus.</translation>
    </message>
    <message>
        <source>The burn of {person} was taken back</source>
        <translation>Die Sperrung von {person} wurde zurückgenommen</translation>
    </message>
    <message>
        <source>The burn was sealed in the revocation log</source>
        <translation>Sperrung im Widerrufsprotokoll versiegelt</translation>
    </message>
    <message>
        <source>The burn was taken back</source>
        <translation>Sperrung zurückgenommen</translation>
    </message>
    <message>
        <source>The call bore no signature that any source here signs with.</source>
        <translation>Der Aufruf trug keine Signatur, mit der eine Quelle hier signiert.</translation>
    </message>
    <message>
        <source>The card does not answer</source>
        <translation>Die Karte antwortet nicht</translation>
    </message>
    <message>
        <source>The card in the reader gets a new PIN; its mailer can then be saved once more.</source>
        <translation>Die Karte im Lesegerät erhält eine neue PIN; ihr PIN-Brief kann dann noch einmal gespeichert werden.</translation>
    </message>
    <message>
        <source>The card is being identified.</source>
        <translation>Die Karte wird erkannt.</translation>
    </message>
    <message>
        <source>The card is being looked at</source>
        <translation>Die Karte wird untersucht</translation>
    </message>
    <message>
        <source>The card is not finished; its badge is printed when it is.</source>
        <translation>Die Karte ist nicht fertig; ihr Ausweis wird gedruckt, sobald sie es ist.</translation>
    </message>
    <message>
        <source>The card is of {holder}, not of {other}.</source>
        <translation>Die Karte gehört {holder}, nicht {other}.</translation>
    </message>
    <message>
        <source>The card is taken from {holder} and may be written for somebody else.</source>
        <translation>Die Karte wird {holder} entzogen und darf für jemand anderen geschrieben werden.</translation>
    </message>
    <message>
        <source>The card of {holder} gets a new PIN; the old one opens nothing any more.</source>
        <translation>Die Karte von {holder} erhält eine neue PIN; die alte öffnet nichts mehr.</translation>
    </message>
    <message>
        <source>The card of {holder} has a new PIN: save its mailer (Ctrl+M).</source>
        <translation>Die Karte von {holder} hat eine neue PIN: Speichern Sie ihren PIN-Brief (Strg+M).</translation>
    </message>
    <message>
        <source>The card opens nothing; its PIN is not given out.</source>
        <translation>Die Karte öffnet nichts; ihre PIN wird nicht ausgegeben.</translation>
    </message>
    <message>
        <source>The card service does not run</source>
        <translation>Der Kartendienst läuft nicht</translation>
    </message>
    <message>
        <source>The card service is not installed</source>
        <translation>Der Kartendienst ist nicht installiert</translation>
    </message>
    <message>
        <source>The card service lets nobody in from here</source>
        <translation>Der Kartendienst lässt von hier niemanden zu</translation>
    </message>
    <message>
        <source>The card takes only a 3DES management key.</source>
        <translation>Die Karte nimmt nur einen 3DES-Verwaltungsschlüssel.</translation>
    </message>
    <message>
        <source>The card was lost at: {step}.</source>
        <translation>Die Karte ging verloren bei: {step}.</translation>
    </message>
    <message>
        <source>The card was refused.</source>
        <translation>Die Karte wurde abgelehnt.</translation>
    </message>
    <message>
        <source>The card was taken out of the reader.</source>
        <translation>Die Karte wurde aus dem Leser genommen.</translation>
    </message>
    <message>
        <source>The card&apos;s name is signed by the site.</source>
        <translation>Der Name der Karte ist vom Standort signiert.</translation>
    </message>
    <message>
        <source>The card&apos;s own three keys</source>
        <translation>Die drei eigenen Schlüssel der Karte</translation>
    </message>
    <message>
        <source>The cards need somebody</source>
        <translation>Die Karten brauchen jemanden</translation>
    </message>
    <message>
        <source>The cards of before could not be read: {trouble}</source>
        <translation>Die früheren Karten konnten nicht gelesen werden: {trouble}</translation>
    </message>
    <message>
        <source>The chart is on the clipboard as a picture.</source>
        <translation>Das Diagramm liegt als Bild in der Zwischenablage.</translation>
    </message>
    <message>
        <source>The chosen decision</source>
        <translation>Die gewählte Entscheidung</translation>
    </message>
    <message>
        <source>The chosen message: {words}</source>
        <translation>Die gewählte Meldung: {words}</translation>
    </message>
    <message>
        <source>The chosen seal</source>
        <translation>Das gewählte Siegel</translation>
    </message>
    <message>
        <source>The clipboard has no address that begins with http:// or https://.</source>
        <translation>Die Zwischenablage enthält keine Adresse, die mit http:// oder https:// beginnt.</translation>
    </message>
    <message>
        <source>The clock of this machine is {apart} ahead of the service&apos;s. {told}</source>
        <translation>Die Uhr dieses Rechners geht der des Dienstes um {apart} vor. {told}</translation>
    </message>
    <message>
        <source>The clock of this machine is {apart} behind the service&apos;s. {told}</source>
        <translation>Die Uhr dieses Rechners geht der des Dienstes um {apart} nach. {told}</translation>
    </message>
    <message>
        <source>The code changes every 400 ms; scan it from the screen.</source>
        <translation>Der Code wechselt alle 400 ms; scannen Sie ihn vom Bildschirm.</translation>
    </message>
    <message>
        <source>The code stops screenshots, prints and recordings: it changes every 400 ms and is accepted once. It does NOT stop a live relay: a person who films this screen and draws the code elsewhere at once is accepted there. Only presence does: a palm at the same terminal, or a card.</source>
        <translation>Gegen Bildschirmfotos, Ausdrucke und Aufzeichnungen hilft der Code: Er wechselt alle 400 ms und wird einmal angenommen. Eine Weiterleitung in Echtzeit verhindert er NICHT: Wer diesen Bildschirm filmt und den Code anderswo sofort darstellt, wird dort angenommen. Dagegen hilft nur Anwesenheit: eine Handfläche am selben Terminal oder eine Karte.</translation>
    </message>
    <message>
        <source>The code that is shown</source>
        <translation>Der gezeigte Code</translation>
    </message>
    <message>
        <source>The consensus seal is on the clipboard.</source>
        <translation>Das Konsens-Siegel ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>The consent is sealed, but no live check of the person stood beside it.</source>
        <translation>Die Einwilligung ist versiegelt, aber keine Live-Prüfung der Person stand daneben.</translation>
    </message>
    <message>
        <source>The consent of {person} is in the log and waits for the quorum: {knot}.</source>
        <translation>Die Einwilligung von {person} steht im Protokoll und wartet auf das Quorum: {knot}.</translation>
    </message>
    <message>
        <source>The consent of {person} is sealed: {knot}.</source>
        <translation>Die Einwilligung von {person} ist versiegelt: {knot}.</translation>
    </message>
    <message>
        <source>The consent of {person} is withdrawn: {knot}.</source>
        <translation>Die Einwilligung von {person} ist zurückgezogen: {knot}.</translation>
    </message>
    <message>
        <source>The consent&apos;s own time is over.</source>
        <translation>Die Zeit der Einwilligung selbst ist um.</translation>
    </message>
    <message>
        <source>The console connects again by itself; F5 does it now.</source>
        <translation>Die Konsole verbindet sich von selbst wieder; F5 tut es sofort.</translation>
    </message>
    <message>
        <source>The console ended unexpectedly before. The command Save crash reports keeps what is known in a file.</source>
        <translation>Die Konsole endete zuvor unerwartet. Der Befehl Absturzberichte speichern legt das Bekannte in einer Datei ab.</translation>
    </message>
    <message>
        <source>The console measures itself</source>
        <translation>Die Konsole misst sich selbst</translation>
    </message>
    <message>
        <source>The console opens as soon as it answers.</source>
        <translation>Die Konsole öffnet sich, sobald er antwortet.</translation>
    </message>
    <message>
        <source>The console shows the past. Esc or Ctrl+Enter goes back to live, then this answers.</source>
        <translation>Die Konsole zeigt die Vergangenheit. Esc oder Strg+Eingabe führt zurück zu Live, dann reagiert der Knopf.</translation>
    </message>
    <message>
        <source>The console shows the past. Press Esc for live, then do it.</source>
        <translation>Die Konsole zeigt die Vergangenheit. Drücken Sie Esc für live, und tun Sie es dann.</translation>
    </message>
    <message>
        <source>The console stops.</source>
        <translation>Die Konsole wird beendet.</translation>
    </message>
    <message>
        <source>The console waits for the service and connects by itself; F5 does it now.</source>
        <translation>Die Konsole wartet auf den Dienst und verbindet sich von selbst; F5 tut es sofort.</translation>
    </message>
    <message>
        <source>The containment became a burn</source>
        <translation>Aus der Festsetzung wurde eine Sperrung</translation>
    </message>
    <message>
        <source>The containment ended by itself</source>
        <translation>Die Festsetzung endete von selbst</translation>
    </message>
    <message>
        <source>The content is gone; the declaration was wrong; …</source>
        <translation>Der Inhalt ist weg; die Erklärung war falsch; …</translation>
    </message>
    <message>
        <source>The content is not JSON.</source>
        <translation>Der Inhalt ist kein JSON.</translation>
    </message>
    <message>
        <source>The content is not the one that the leaf commits to.</source>
        <translation>Der Inhalt ist nicht der, auf den sich das Blatt festlegt.</translation>
    </message>
    <message>
        <source>The content is shown, but not opened.</source>
        <translation>Der Inhalt wird gezeigt, aber nicht geöffnet.</translation>
    </message>
    <message>
        <source>The content was erased</source>
        <translation>Der Inhalt wurde gelöscht</translation>
    </message>
    <message>
        <source>The content was erased: its hash stands in the log, what it said cannot be shown.</source>
        <translation>Der Inhalt wurde gelöscht: Sein Hash steht im Protokoll, was er sagte, lässt sich nicht zeigen.</translation>
    </message>
    <message>
        <source>The content was erased; its hash stands in the log.</source>
        <translation>Der Inhalt wurde gelöscht; sein Hash steht im Protokoll.</translation>
    </message>
    <message>
        <source>The deadline passed without an answer; the platform may still act.</source>
        <translation>Die Frist verstrich ohne Antwort; die Plattform kann noch handeln.</translation>
    </message>
    <message>
        <source>The declarant attests</source>
        <translation>Der Erklärende attestiert</translation>
    </message>
    <message>
        <source>The declaration</source>
        <translation>Die Erklärung</translation>
    </message>
    <message>
        <source>The deny set refuses this badge: its identity is burned.</source>
        <translation>Die Liste der Gesperrten weist diesen Ausweis ab: Seine Identität ist gesperrt.</translation>
    </message>
    <message>
        <source>The desktop&apos;s tray is gone, so the window is back.</source>
        <translation>Die Ablage des Desktops ist weg, also ist das Fenster zurück.</translation>
    </message>
    <message>
        <source>The detectors beside this say what was looked for, and what could not be.</source>
        <translation>Die Detektoren daneben sagen, wonach gesucht wurde und was nicht zu prüfen war.</translation>
    </message>
    <message>
        <source>The directories are listed as soon as one does.</source>
        <translation>Die Verzeichnisse werden gelistet, sobald einer verbunden ist.</translation>
    </message>
    <message>
        <source>The discharge was signed, and every node of the employee was burned.</source>
        <translation>Der Austritt war signiert, und jede Personen-ID des Beschäftigten wurde gesperrt.</translation>
    </message>
    <message>
        <source>The disk refused the file ({problem}): save it elsewhere now.</source>
        <translation>Der Datenträger wies die Datei ab ({problem}): Speichern Sie sie jetzt anderswo.</translation>
    </message>
    <message>
        <source>The disk refused the file of line {line} ({problem}); its document is kept until this console ends. Save it elsewhere now.</source>
        <translation>Der Datenträger wies die Datei von Zeile {line} ab ({problem}); ihr Dokument bleibt, bis diese Konsole endet. Speichern Sie es jetzt anderswo.</translation>
    </message>
    <message>
        <source>The door&apos;s decision appears here.</source>
        <translation>Die Entscheidung der Tür erscheint hier.</translation>
    </message>
    <message>
        <source>The door&apos;s line</source>
        <translation>Leitung der Tür</translation>
    </message>
    <message>
        <source>The doors of the newest {count} burns were read; all of them are in the figures above.</source>
        <translation>Gelesen wurden die Türen der neuesten {count} Sperrungen; die Zahlen oben enthalten alle.</translation>
    </message>
    <message>
        <source>The doors take the grant at once; one that is offline takes it when it is back.</source>
        <translation>Die Türen nehmen die Berechtigung sofort an; eine, die offline ist, sobald sie zurück ist.</translation>
    </message>
    <message>
        <source>The enrolled voice, spoken by a living person.</source>
        <translation>Die erfasste Stimme, gesprochen von einem lebenden Menschen.</translation>
    </message>
    <message>
        <source>The entries of a burn, a card or a batch stand under one row in a filtered view.</source>
        <translation>Die Einträge einer Sperrung, einer Karte oder eines Stapels stehen in gefilterter Ansicht unter einer Zeile.</translation>
    </message>
    <message>
        <source>The entries of the audit log since then do not fit how the person stands now.</source>
        <translation>Die Einträge des Audit-Protokolls seit damals passen nicht zum jetzigen Status der Person.</translation>
    </message>
    <message>
        <source>The entries that tell which bundle it got last are lost.</source>
        <translation>Die Einträge darüber, welches Paket es zuletzt erhielt, sind verloren.</translation>
    </message>
    <message>
        <source>The entries that were read do not reach back to that moment.</source>
        <translation>Die gelesenen Einträge reichen nicht bis zu jenem Moment zurück.</translation>
    </message>
    <message>
        <source>The evidence bundle</source>
        <translation>Das Beweispaket</translation>
    </message>
    <message>
        <source>The evidence of {many} of “{name}”</source>
        <translation>Das Beweispaket, {many} von „{name}“,</translation>
    </message>
    <message>
        <source>The export was cancelled; no file was left.</source>
        <translation>Der Export wurde abgebrochen; keine Datei blieb zurück.</translation>
    </message>
    <message>
        <source>The figures are not current: {why}.</source>
        <translation>Die Zahlen sind nicht aktuell: {why}.</translation>
    </message>
    <message>
        <source>The file cannot be made ({problem}); the PIN was not touched.</source>
        <translation>Die Datei kann nicht angelegt werden ({problem}); die PIN wurde nicht angerührt.</translation>
    </message>
    <message>
        <source>The file cannot be read: {error}.</source>
        <translation>Die Datei kann nicht gelesen werden: {error}.</translation>
    </message>
    <message>
        <source>The file has a first line and nothing below it.</source>
        <translation>Die Datei hat eine erste Zeile und nichts darunter.</translation>
    </message>
    <message>
        <source>The file has more than {most:,} lines; save it in parts.</source>
        <translation>Die Datei hat mehr als {most:,} Zeilen; speichern Sie sie in Teilen.</translation>
    </message>
    <message>
        <source>The file has {size:.0f} MB; {what} has at most {most} MB.</source>
        <translation>Die Datei hat {size:.0f} MB; {what} hat höchstens {most} MB.</translation>
    </message>
    <message>
        <source>The file is damaged: it does not say how large its picture is.</source>
        <translation>Die Datei ist beschädigt: Sie sagt nicht, wie groß ihr Bild ist.</translation>
    </message>
    <message>
        <source>The file is damaged: its picture cannot be read.</source>
        <translation>Die Datei ist beschädigt: Ihr Bild kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>The file is empty.</source>
        <translation>Die Datei ist leer.</translation>
    </message>
    <message>
        <source>The file is empty. Its first line names the columns: {columns}.</source>
        <translation>Die Datei ist leer. Ihre erste Zeile nennt die Spalten: {columns}.</translation>
    </message>
    <message>
        <source>The file is kept as {aside}.</source>
        <translation>Die Datei ist als {aside} aufgehoben.</translation>
    </message>
    <message>
        <source>The file is larger than {most} MB, which is the most that is scanned.</source>
        <translation>Die Datei ist größer als {most} MB; mehr wird nicht geprüft.</translation>
    </message>
    <message>
        <source>The file is larger than {most} MiB; save it in parts.</source>
        <translation>Die Datei ist größer als {most} MiB; speichern Sie sie in Teilen.</translation>
    </message>
    <message>
        <source>The file is neither JPEG nor PNG.</source>
        <translation>Die Datei ist weder JPEG noch PNG.</translation>
    </message>
    <message>
        <source>The file names its columns and has no line below them.</source>
        <translation>Die Datei nennt ihre Spalten und hat keine Zeile darunter.</translation>
    </message>
    <message>
        <source>The file was read, but nothing judged it.</source>
        <translation>Die Datei wurde gelesen, aber nichts beurteilte sie.</translation>
    </message>
    <message>
        <source>The first entry of the log was not found.</source>
        <translation>Der erste Eintrag des Protokolls wurde nicht gefunden.</translation>
    </message>
    <message>
        <source>The first line must name the columns; {columns} is missing.</source>
        <translation>Die erste Zeile muss die Spalten nennen; es fehlt: {columns}.</translation>
    </message>
    <message>
        <source>The first line names {columns} twice.</source>
        <translation>Die erste Zeile nennt {columns} doppelt.</translation>
    </message>
    <message>
        <source>The first line names {count} unknown columns; a list has {known} alone.</source>
        <translation>Die erste Zeile nennt unbekannte Spalten ({count}); eine Liste hat nur {known}.</translation>
    </message>
    <message>
        <source>The first steps are in the palette when you want them again.</source>
        <translation>Die ersten Schritte stehen in der Palette, wenn Sie sie wieder brauchen.</translation>
    </message>
    <message>
        <source>The first {most:,} are listed. Type the name of another one.</source>
        <translation>Die ersten {most:,} sind gelistet. Geben Sie den Namen einer anderen ein.</translation>
    </message>
    <message>
        <source>The first {shown}; more follow as you go down.</source>
        <translation>Die ersten {shown}; weitere folgen beim Blättern.</translation>
    </message>
    <message>
        <source>The good lines stay; nobody of the others gets a card in this batch.</source>
        <translation>Die guten Zeilen bleiben; die anderen erhalten in diesem Stapel keine Karte.</translation>
    </message>
    <message>
        <source>The grant does not reach this door.</source>
        <translation>Die Berechtigung gilt nicht für diese Tür.</translation>
    </message>
    <message>
        <source>The grant has ended</source>
        <translation>Berechtigung beendet</translation>
    </message>
    <message>
        <source>The grant has ended.</source>
        <translation>Die Berechtigung ist beendet.</translation>
    </message>
    <message>
        <source>The head is signed</source>
        <translation>Der Kopf ist gezeichnet</translation>
    </message>
    <message>
        <source>The history to that moment is being read.</source>
        <translation>Der Verlauf bis zu jenem Moment wird gelesen.</translation>
    </message>
    <message>
        <source>The holder has forgotten the PIN</source>
        <translation>Der Inhaber hat die PIN vergessen</translation>
    </message>
    <message>
        <source>The id of a reader cluster, or empty for everybody.</source>
        <translation>Die ID einer Türgruppe, oder leer für alle.</translation>
    </message>
    <message>
        <source>The inventory</source>
        <translation>Die Bestandsliste</translation>
    </message>
    <message>
        <source>The key of {label} is revoked.</source>
        <translation>Der Schlüssel von {label} ist widerrufen.</translation>
    </message>
    <message>
        <source>The key window is open until {until} for {count} readers: {names}.</source>
        <translation>Das Schlüsselfenster ist bis {until} offen für {count} Lesegeräte: {names}.</translation>
    </message>
    <message>
        <source>The keys are listed as soon as one answers.</source>
        <translation>Die Schlüssel werden gelistet, sobald einer antwortet.</translation>
    </message>
    <message>
        <source>The label</source>
        <translation>Das Etikett</translation>
    </message>
    <message>
        <source>The last 24 hours</source>
        <translation>Die letzten 24 Stunden</translation>
    </message>
    <message>
        <source>The last 30 days</source>
        <translation>Die letzten 30 Tage</translation>
    </message>
    <message>
        <source>The last 7 days</source>
        <translation>Die letzten 7 Tage</translation>
    </message>
    <message>
        <source>The last day is not before the first.</source>
        <translation>Der letzte Tag liegt nicht vor dem ersten.</translation>
    </message>
    <message>
        <source>The last door closed within the goal of {goal} each time.</source>
        <translation>Die Zeit bis zur letzten Tür lag jedes Mal innerhalb des Ziels von {goal}.</translation>
    </message>
    <message>
        <source>The last hour could not be read</source>
        <translation>Die letzte Stunde konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>The last minute, no goal is set</source>
        <translation>Letzte Minute, kein Ziel gesetzt</translation>
    </message>
    <message>
        <source>The last was {door}, after {time}.</source>
        <translation>Die letzte war {door}, nach {time}.</translation>
    </message>
    <message>
        <source>The last {count} scores heard here: {low:.2f} to {high:.2f}, the newest {newest:.2f}.</source>
        <translation>Die letzten {count} hier empfangenen Werte: {low:.2f} bis {high:.2f}, der neueste {newest:.2f}.</translation>
    </message>
    <message>
        <source>The layer does not say a size that can be shown.</source>
        <translation>Die Ebene nennt keine darstellbare Größe.</translation>
    </message>
    <message>
        <source>The layer is damaged: it cannot be read.</source>
        <translation>Die Ebene ist beschädigt: Sie kann nicht gelesen werden.</translation>
    </message>
    <message>
        <source>The layer is neither PNG nor JPEG.</source>
        <translation>Die Ebene ist weder PNG noch JPEG.</translation>
    </message>
    <message>
        <source>The leaf is another one than the entry&apos;s.</source>
        <translation>Das Blatt ist ein anderes als das des Eintrags.</translation>
    </message>
    <message>
        <source>The leaf is entry {index} of {size} in the tree of the page&apos;s checkpoint.</source>
        <translation>Das Blatt ist Eintrag {index} von {size} im Baum des Checkpoints der Seite.</translation>
    </message>
    <message>
        <source>The leaf is not in canonical form.</source>
        <translation>Das Blatt ist nicht in kanonischer Form.</translation>
    </message>
    <message>
        <source>The leaf is not in the tree that the page&apos;s checkpoint signs.</source>
        <translation>Das Blatt ist nicht in dem Baum, den der Checkpoint der Seite signiert.</translation>
    </message>
    <message>
        <source>The leaf is not in the tree that the witnesses cosigned.</source>
        <translation>Das Blatt ist nicht in dem Baum, den die Zeugen mitgezeichnet haben.</translation>
    </message>
    <message>
        <source>The line has {count} cells; the first line names {named}.</source>
        <translation>Die Zeile hat {count} Zellen; die erste Zeile nennt {named}.</translation>
    </message>
    <message>
        <source>The line names no node_id.</source>
        <translation>Die Zeile nennt keine node_id.</translation>
    </message>
    <message>
        <source>The lines are being checked.</source>
        <translation>Die Zeilen werden geprüft.</translation>
    </message>
    <message>
        <source>The lines that are shown, as text. Secrets are in it as their length.</source>
        <translation>Die gezeigten Zeilen als Text. Geheimnisse stehen darin nur als Länge.</translation>
    </message>
    <message>
        <source>The list of people, where it was left.</source>
        <translation>Die Personenliste, wo sie verlassen wurde.</translation>
    </message>
    <message>
        <source>The list of receipts</source>
        <translation>Die Liste der Belege</translation>
    </message>
    <message>
        <source>The live check ran out about then; which was first is not known.</source>
        <translation>Die Live-Prüfung lief etwa dann ab; was zuerst kam, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>The live check ran out; whether before that moment is not known.</source>
        <translation>Die Live-Prüfung lief ab; ob vor jenem Moment, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>The log does not hold entry {seq:,} any more: another store was restored.</source>
        <translation>Das Protokoll enthält Eintrag {seq:,} nicht mehr: Ein anderer Datenbestand wurde wiederhergestellt.</translation>
    </message>
    <message>
        <source>The log has no entry at that moment or before it.</source>
        <translation>Das Protokoll hat zu diesem Zeitpunkt und davor keinen Eintrag.</translation>
    </message>
    <message>
        <source>The log has no entry where it must have one.</source>
        <translation>Das Protokoll hat keinen Eintrag, wo es einen haben muss.</translation>
    </message>
    <message>
        <source>The log is shorter than it was: another store was restored. Open the page again.</source>
        <translation>Das Protokoll ist kürzer als zuvor: Ein anderer Datenbestand wurde wiederhergestellt. Öffnen Sie die Seite erneut.</translation>
    </message>
    <message>
        <source>The log {origin} signed the head of {size} entries.</source>
        <translation>Das Protokoll {origin} zeichnete den Kopf über {size} Einträge.</translation>
    </message>
    <message>
        <source>The logs need somebody</source>
        <translation>Die Protokolle brauchen jemanden</translation>
    </message>
    <message>
        <source>The logs were not checked by night yet.{late}</source>
        <translation>Die Protokolle wurden noch nicht nachts geprüft.{late}</translation>
    </message>
    <message>
        <source>The logs&apos; keys were replaced. The pinned keys have signed for the new ones.</source>
        <translation>Die Schlüssel der Protokolle wurden ersetzt. Die festgelegten Schlüssel haben die neuen signiert.</translation>
    </message>
    <message>
        <source>The mailbox refused it for good.</source>
        <translation>Das Postfach hat sie endgültig abgewiesen.</translation>
    </message>
    <message>
        <source>The manifest</source>
        <translation>Das Manifest</translation>
    </message>
    <message>
        <source>The marked ones, or all that are not over.</source>
        <translation>Die markierten oder alle unerledigten.</translation>
    </message>
    <message>
        <source>The marked ones, or all that failed.</source>
        <translation>Die markierten oder alle fehlgeschlagenen.</translation>
    </message>
    <message>
        <source>The marked rows of a table, else what the page shows, else the chosen row: what the signed log says of them, in one file that anybody can verify.</source>
        <translation>Die markierten Zeilen einer Tabelle, sonst was die Seite zeigt, sonst die gewählte Zeile: was das signierte Protokoll davon sagt, in einer Datei, die jeder prüfen kann.</translation>
    </message>
    <message>
        <source>The marks are too near to each other: one belongs to each side of the palm.</source>
        <translation>Die Marken liegen zu nahe beieinander: Zu jeder Seite der Handfläche gehört eine.</translation>
    </message>
    <message>
        <source>The microphone cannot be opened: {error}. Another program may use it.</source>
        <translation>Das Mikrofon kann nicht geöffnet werden: {error}. Vielleicht nutzt es ein anderes Programm.</translation>
    </message>
    <message>
        <source>The microphone gives no sound any more: see whether it is plugged in, then speak again.</source>
        <translation>Das Mikrofon liefert keinen Ton mehr: Prüfen Sie, ob es angeschlossen ist, und sprechen Sie noch einmal.</translation>
    </message>
    <message>
        <source>The microphone hears. Space ends the recording.</source>
        <translation>Das Mikrofon hört. Die Leertaste beendet die Aufnahme.</translation>
    </message>
    <message>
        <source>The microphone lost sound: this machine was too busy. Speak again.</source>
        <translation>Das Mikrofon hat Ton verloren: Der Rechner war zu ausgelastet. Sprechen Sie noch einmal.</translation>
    </message>
    <message>
        <source>The newest change that it acknowledged: {epoch}</source>
        <translation>Die neueste Änderung, die sie bestätigt hat: {epoch}</translation>
    </message>
    <message>
        <source>The newest entry of the log was not found.</source>
        <translation>Der neueste Eintrag des Protokolls wurde nicht gefunden.</translation>
    </message>
    <message>
        <source>The next blank card</source>
        <translation>Die nächste leere Karte</translation>
    </message>
    <message>
        <source>The next operator keeps the page; the audit names the change.</source>
        <translation>Der nächste Bediener behält die Seite; das Audit nennt den Wechsel.</translation>
    </message>
    <message>
        <source>The nodes chosen in the list in front are filled in. Another Citadel key must approve.</source>
        <translation>Die in der vorderen Liste gewählten Personen sind eingetragen. Ein anderer Citadel-Schlüssel muss freigeben.</translation>
    </message>
    <message>
        <source>The notices are being read.</source>
        <translation>Die Meldungen werden gelesen.</translation>
    </message>
    <message>
        <source>The notices cannot be read.</source>
        <translation>Die Meldungen sind nicht lesbar.</translation>
    </message>
    <message>
        <source>The number of the certificate or listing, up to 6 digits; needed with a standard.</source>
        <translation>Die Nummer des Zertifikats oder Eintrags, bis zu 6 Ziffern; nötig bei einem Standard.</translation>
    </message>
    <message>
        <source>The number that the platform showed: 1 to 200 characters.</source>
        <translation>Die Nummer, die die Plattform zeigte: 1 bis 200 Zeichen.</translation>
    </message>
    <message>
        <source>The old one opens until {time}.</source>
        <translation>Der alte gilt bis {time}.</translation>
    </message>
    <message>
        <source>The old secret opens</source>
        <translation>Das alte Geheimnis gilt</translation>
    </message>
    <message>
        <source>The one that the state line tells of, on this console only.</source>
        <translation>Den, von dem die Zustandszeile spricht, nur auf dieser Konsole.</translation>
    </message>
    <message>
        <source>The one that the state line tells of.</source>
        <translation>Den, von dem die Zustandszeile spricht.</translation>
    </message>
    <message>
        <source>The one that was shown last</source>
        <translation>Die zuletzt gezeigte</translation>
    </message>
    <message>
        <source>The open alarms over any page: take, mute and close them.</source>
        <translation>Die offenen Alarme über jeder Seite: übernehmen, stummschalten und schließen.</translation>
    </message>
    <message>
        <source>The open scan was compared with pictures that were {life}.</source>
        <translation>Die offene Prüfung wurde mit anderen Bildern verglichen ({life}).</translation>
    </message>
    <message>
        <source>The open scan, {score:.2f}, is met by {rate} of them.</source>
        <translation>Den Wert der offenen Prüfung, {score:.2f}, erreichen {rate} davon.</translation>
    </message>
    <message>
        <source>The opening&apos;s salt is not 16 bytes.</source>
        <translation>Das Salt der Öffnung hat nicht 16 Byte.</translation>
    </message>
    <message>
        <source>The operator signs in nowhere from that moment on, and all its sessions end. The row stays with its name, since what the operator did stands in the log.</source>
        <translation>Der Bediener meldet sich von da an nirgends mehr an, und alle seine Sitzungen enden. Die Zeile bleibt mit seinem Namen, denn was er tat, steht im Protokoll.</translation>
    </message>
    <message>
        <source>The other frame did not change.</source>
        <translation>Das andere Frame änderte sich nicht.</translation>
    </message>
    <message>
        <source>The other {count} frames did not change.</source>
        <translation>Die anderen {count} Frames änderten sich nicht.</translation>
    </message>
    <message>
        <source>The others were not sent.</source>
        <translation>Die übrigen wurden nicht gesendet.</translation>
    </message>
    <message>
        <source>The p99 of a minute should stay under it. Charts draw it, and tiles say whether it was kept.</source>
        <translation>Das p99 einer Minute soll darunter bleiben. Diagramme zeichnen es ein, und Kacheln sagen, ob es gehalten wurde.</translation>
    </message>
    <message>
        <source>The page&apos;s checkpoint is not signed by the log that the pinned policy names.</source>
        <translation>Der Checkpoint der Seite ist nicht von dem Protokoll signiert, das die festgelegte Richtlinie nennt.</translation>
    </message>
    <message>
        <source>The pages open as soon as it answers.</source>
        <translation>Die Seiten öffnen sich, sobald er antwortet.</translation>
    </message>
    <message>
        <source>The palm stands out of all others of this search.</source>
        <translation>Die Handfläche hebt sich von allen anderen dieser Suche ab.</translation>
    </message>
    <message>
        <source>The person has agreed</source>
        <translation>Die Person hat zugestimmt</translation>
    </message>
    <message>
        <source>The person has agreed that their voice is enrolled</source>
        <translation>Die Person hat zugestimmt, dass ihre Stimme erfasst wird</translation>
    </message>
    <message>
        <source>The person is contained.</source>
        <translation>Die Person ist festgesetzt.</translation>
    </message>
    <message>
        <source>The person took the consent back. The first statement stays, as it must.</source>
        <translation>Die Person hat die Einwilligung zurückgezogen. Die erste Aussage bleibt, wie sie muss.</translation>
    </message>
    <message>
        <source>The person&apos;s identity was burned; every consent ended with it.</source>
        <translation>Die Identität der Person wurde gesperrt; jede Einwilligung endete damit.</translation>
    </message>
    <message>
        <source>The phases of that time are not known: this window reads them while a page shows frames.</source>
        <translation>Die Phasen jener Zeit sind nicht bekannt: Dieses Fenster liest sie, während eine Seite Frames zeigt.</translation>
    </message>
    <message>
        <source>The picture cannot be kept: {why}.</source>
        <translation>Das Bild kann nicht behalten werden: {why}.</translation>
    </message>
    <message>
        <source>The picture has {width} x {height} pixels; at most {most} million are read. Save it smaller.</source>
        <translation>Das Bild hat {width} x {height} Pixel; höchstens {most} Millionen werden gelesen. Speichern Sie es kleiner.</translation>
    </message>
    <message>
        <source>The picture has {width} x {height} pixels; {what} needs {least_width} x {least_height} or more.</source>
        <translation>Das Bild hat {width} x {height} Pixel; {what} braucht mindestens {least_width} x {least_height}.</translation>
    </message>
    <message>
        <source>The picture stands here once it is read.</source>
        <translation>Das Bild steht hier, sobald es gelesen ist.</translation>
    </message>
    <message>
        <source>The picture stands here when it has been judged.</source>
        <translation>Das Bild steht hier, sobald es beurteilt ist.</translation>
    </message>
    <message>
        <source>The pictures are shown {turn}, as EXIF says; it was judged as it is stored.</source>
        <translation>Die Bilder werden laut EXIF {turn} gezeigt; beurteilt wurde, was gespeichert ist.</translation>
    </message>
    <message>
        <source>The pinned policy in {path} cannot be read ({error}). Compare the site&apos;s policy with an auditor&apos;s copy, then move that file away.</source>
        <translation>Die festgelegte Richtlinie in {path} ist nicht lesbar ({error}). Vergleichen Sie die Richtlinie des Standorts mit der Kopie eines Prüfers, und legen Sie die Datei dann beiseite.</translation>
    </message>
    <message>
        <source>The pinned policy names no log {origin}.</source>
        <translation>Die festgelegte Richtlinie nennt kein Protokoll {origin}.</translation>
    </message>
    <message>
        <source>The platform acted.</source>
        <translation>Die Plattform hat gehandelt.</translation>
    </message>
    <message>
        <source>The platform confirmed that it has it.</source>
        <translation>Die Plattform hat den Eingang bestätigt.</translation>
    </message>
    <message>
        <source>The platform gave none</source>
        <translation>Die Plattform gab keine an</translation>
    </message>
    <message>
        <source>The platform has a form alone: a person fills it in and notes the confirmation number.</source>
        <translation>Die Plattform hat nur ein Formular: Eine Person füllt es aus und notiert die Bestätigungsnummer.</translation>
    </message>
    <message>
        <source>The platform refused; it may be appealed.</source>
        <translation>Die Plattform hat abgelehnt; ein Einspruch ist möglich.</translation>
    </message>
    <message>
        <source>The platform&apos;s server took it; what the platform does is not known yet.</source>
        <translation>Der Server der Plattform hat sie angenommen; was die Plattform tut, ist noch nicht bekannt.</translation>
    </message>
    <message>
        <source>The platforms are listed as soon as one does.</source>
        <translation>Die Plattformen werden gelistet, sobald einer verbunden ist.</translation>
    </message>
    <message>
        <source>The policy is well formed.</source>
        <translation>Die Richtlinie ist wohlgeformt.</translation>
    </message>
    <message>
        <source>The preferences could not be used and the defaults are: {error}. {kept}</source>
        <translation>Die Voreinstellungen waren nicht brauchbar, die Standardwerte gelten: {error}. {kept}</translation>
    </message>
    <message>
        <source>The preferences could not be written to {path}: {error}</source>
        <translation>Die Voreinstellungen konnten nicht nach {path} geschrieben werden: {error}</translation>
    </message>
    <message>
        <source>The preferences in {path} could not be read and the defaults are used: {error}</source>
        <translation>Die Voreinstellungen in {path} konnten nicht gelesen werden, die Standardwerte gelten: {error}</translation>
    </message>
    <message>
        <source>The preview, marked DRAFT,</source>
        <translation>Die Vorschau mit dem Vermerk DRAFT</translation>
    </message>
    <message>
        <source>The print system could not be started ({reason}). {save_instead}</source>
        <translation>Das Drucksystem konnte nicht gestartet werden ({reason}). {save_instead}</translation>
    </message>
    <message>
        <source>The print system did not answer in time and may have taken the document: look at the printer and its queue before you print it again.</source>
        <translation>Das Drucksystem antwortete nicht rechtzeitig und hat das Dokument vielleicht angenommen: Sehen Sie nach Drucker und Warteschlange, bevor Sie es erneut drucken.</translation>
    </message>
    <message>
        <source>The print system did not answer in time. {save_instead}</source>
        <translation>Das Drucksystem antwortete nicht rechtzeitig. {save_instead}</translation>
    </message>
    <message>
        <source>The print system of this machine does not run. {save_instead}</source>
        <translation>Das Drucksystem dieses Rechners läuft nicht. {save_instead}</translation>
    </message>
    <message>
        <source>The print system of this machine has no printer. {save_instead}</source>
        <translation>Das Drucksystem dieses Rechners hat keinen Drucker. {save_instead}</translation>
    </message>
    <message>
        <source>The profile holds a live grant at this door.</source>
        <translation>Das Profil hat an dieser Tür eine gültige Berechtigung.</translation>
    </message>
    <message>
        <source>The profile was not saved.</source>
        <translation>Das Profil wurde nicht gespeichert.</translation>
    </message>
    <message>
        <source>The profile: standing, doors, cards, and what happened. Enter in the list does it, too.</source>
        <translation>Das Profil: Stand, Türen, Karten und was geschah. Die Eingabetaste in der Liste tut dasselbe.</translation>
    </message>
    <message>
        <source>The program</source>
        <translation>Das Programm</translation>
    </message>
    <message>
        <source>The proof</source>
        <translation>Der Beweis</translation>
    </message>
    <message>
        <source>The proof of entry {seq:,}</source>
        <translation>Der Beweis für Eintrag {seq:,}</translation>
    </message>
    <message>
        <source>The provider signed nobody in.</source>
        <translation>Der Anbieter hat niemanden angemeldet.</translation>
    </message>
    <message>
        <source>The quorum is missing</source>
        <translation>Das Quorum fehlt</translation>
    </message>
    <message>
        <source>The quorum of the log&apos;s witnesses was recorded</source>
        <translation>Das Quorum der Zeugen des Protokolls wurde festgehalten</translation>
    </message>
    <message>
        <source>The quorum of witnesses is missing; the next round that meets it seals this.</source>
        <translation>Das Quorum der Zeugen fehlt; die nächste Runde, die es erreicht, versiegelt dies.</translation>
    </message>
    <message>
        <source>The rate {rate:.0e} of one comparison is extrapolated: nothing below {least:.0e} was ever measured. {measured}</source>
        <translation>Die Rate {rate:.0e} eines Vergleichs ist extrapoliert: Unter {least:.0e} wurde nie etwas gemessen. {measured}</translation>
    </message>
    <message>
        <source>The reader is gone</source>
        <translation>Das Lesegerät ist weg</translation>
    </message>
    <message>
        <source>The readers are not looked at.</source>
        <translation>Die Leser werden nicht beobachtet.</translation>
    </message>
    <message>
        <source>The readers cannot be reached.</source>
        <translation>Die Leser sind nicht erreichbar.</translation>
    </message>
    <message>
        <source>The receipt</source>
        <translation>Der Beleg</translation>
    </message>
    <message>
        <source>The record of a frame is known of now alone, not of a moment of the past. Esc for live.</source>
        <translation>Die Aufzeichnung eines Frames ist nur für jetzt bekannt, nicht für einen Moment der Vergangenheit. Esc führt zurück zu Live.</translation>
    </message>
    <message>
        <source>The recording</source>
        <translation>Die Aufnahme</translation>
    </message>
    <message>
        <source>The recording cannot be played: {error}.</source>
        <translation>Die Aufnahme kann nicht abgespielt werden: {error}.</translation>
    </message>
    <message>
        <source>The recording does not allow a verdict. That says nothing against the person.</source>
        <translation>Die Aufnahme erlaubt kein Urteil. Das sagt nichts gegen die Person.</translation>
    </message>
    <message>
        <source>The report</source>
        <translation>Der Bericht</translation>
    </message>
    <message>
        <source>The report could not be written to {target}: {error}</source>
        <translation>Der Bericht konnte nicht nach {target} geschrieben werden: {error}</translation>
    </message>
    <message>
        <source>The report in the bundle is none that this console knows.</source>
        <translation>Den Bericht im Paket kennt diese Konsole nicht.</translation>
    </message>
    <message>
        <source>The report is {target}.</source>
        <translation>Der Bericht ist {target}.</translation>
    </message>
    <message>
        <source>The result under the site&apos;s signature, to be checked without this site.</source>
        <translation>Das Ergebnis mit der Signatur des Standorts, prüfbar ohne diesen Standort.</translation>
    </message>
    <message>
        <source>The rotating code, full window</source>
        <translation>Der wechselnde Code, ganzes Fenster</translation>
    </message>
    <message>
        <source>The row is on the clipboard.</source>
        <translation>Die Zeile liegt in der Zwischenablage.</translation>
    </message>
    <message>
        <source>The rows of “{name}” are no entries of the audit log: nothing signed could be saved of them. The page Audit has what happened.</source>
        <translation>Die Zeilen von „{name}“ sind keine Einträge des Audit-Protokolls: Nichts Signiertes ließe sich davon speichern. Was geschah, steht auf der Seite Audit.</translation>
    </message>
    <message>
        <source>The same again</source>
        <translation>Wiederholung</translation>
    </message>
    <message>
        <source>The same call came before the person&apos;s present employment: nobody was burned.</source>
        <translation>Derselbe Aufruf kam vor der jetzigen Beschäftigung der Person: Niemand wurde gesperrt.</translation>
    </message>
    <message>
        <source>The same passphrase again</source>
        <translation>Dieselbe Passphrase noch einmal</translation>
    </message>
    <message>
        <source>The scan failed.</source>
        <translation>Die Prüfung ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>The scan was not asked for.</source>
        <translation>Die Prüfung wurde nicht angefragt.</translation>
    </message>
    <message>
        <source>The scans stay in the list; what failed stays here.</source>
        <translation>Die Prüfungen bleiben in der Liste; Fehlgeschlagenes bleibt hier.</translation>
    </message>
    <message>
        <source>The score {whose}, {score:.2f}, is met by {rate} of untouched pictures of this size (95 %: {low} to {high}).</source>
        <translation>Den Wert {whose}, {score:.2f}, erreichen {rate} der unveränderten Bilder dieser Größe (95 %: {low} bis {high}).</translation>
    </message>
    <message>
        <source>The seal</source>
        <translation>Das Siegel</translation>
    </message>
    <message>
        <source>The secret before the last rotation still opens until {time}.</source>
        <translation>Das Geheimnis vor der letzten Rotation gilt noch bis {time}.</translation>
    </message>
    <message>
        <source>The secret itself stands in Authorization. It proves nothing about the body: ask for client certificates too.</source>
        <translation>Das Geheimnis selbst steht in Authorization. Es beweist nichts über den Inhalt: Verlangen Sie zusätzlich Client-Zertifikate.</translation>
    </message>
    <message>
        <source>The selected APDU, taken apart</source>
        <translation>Die gewählte APDU, zerlegt</translation>
    </message>
    <message>
        <source>The service answers, and no alarm is open.</source>
        <translation>Der Dienst antwortet, und kein Alarm ist offen.</translation>
    </message>
    <message>
        <source>The service asks for a sign-in at another console. Nothing was signed.</source>
        <translation>Der Dienst verlangt eine Anmeldung an einer anderen Konsole. Nichts wurde signiert.</translation>
    </message>
    <message>
        <source>The service asks for a sign-in to another address than its own. Nothing was signed.</source>
        <translation>Der Dienst verlangt eine Anmeldung an einer anderen Adresse als der eigenen. Nichts wurde signiert.</translation>
    </message>
    <message>
        <source>The service asks the card for something else than a sign-in. Nothing was signed.</source>
        <translation>Der Dienst verlangt von der Karte etwas anderes als eine Anmeldung. Nichts wurde signiert.</translation>
    </message>
    <message>
        <source>The service burns all the same: every door denies the id at once, and what waits is shown afterwards.</source>
        <translation>Der Dienst sperrt trotzdem: Jede Tür weist die ID sofort ab, und was wartet, wird danach gezeigt.</translation>
    </message>
    <message>
        <source>The service cannot start</source>
        <translation>Der Dienst kann nicht starten</translation>
    </message>
    <message>
        <source>The service could not be started: {reason}</source>
        <translation>Der Dienst konnte nicht gestartet werden: {reason}</translation>
    </message>
    <message>
        <source>The service did not become ready within 60 s.</source>
        <translation>Der Dienst wurde nicht innerhalb von 60 s bereit.</translation>
    </message>
    <message>
        <source>The service does not answer.</source>
        <translation>Der Dienst antwortet nicht.</translation>
    </message>
    <message>
        <source>The service does not say what is open.</source>
        <translation>Der Dienst sagt nicht, was offen ist.</translation>
    </message>
    <message>
        <source>The service does not say what is open: this list may be of before.</source>
        <translation>Der Dienst sagt nicht, was offen ist: Diese Liste kann von vorher sein.</translation>
    </message>
    <message>
        <source>The service does not say which site it is.</source>
        <translation>Der Dienst sagt nicht, welcher Standort er ist.</translation>
    </message>
    <message>
        <source>The service does not stay up</source>
        <translation>Der Dienst bleibt nicht am Laufen</translation>
    </message>
    <message>
        <source>The service does not take what this signs: it is another secret, or none of this source&apos;s scheme.</source>
        <translation>Der Dienst nimmt diese Signatur nicht an: Es ist ein anderes Geheimnis oder passt nicht zum Verfahren dieser Quelle.</translation>
    </message>
    <message>
        <source>The service does not tell what lies in the readers.</source>
        <translation>Der Dienst meldet nicht, was in den Lesegeräten liegt.</translation>
    </message>
    <message>
        <source>The service ended</source>
        <translation>Der Dienst endete</translation>
    </message>
    <message>
        <source>The service ended the session. Sign in again; what stands on the page is kept.</source>
        <translation>Der Dienst hat die Sitzung beendet. Melden Sie sich erneut an; was auf der Seite steht, bleibt.</translation>
    </message>
    <message>
        <source>The service ended the stream.</source>
        <translation>Der Dienst hat den Datenstrom beendet.</translation>
    </message>
    <message>
        <source>The service ended with exit code {number}.</source>
        <translation>Der Dienst endete mit Exit-Code {number}.</translation>
    </message>
    <message>
        <source>The service fetches it; nothing of it is kept but the result.</source>
        <translation>Der Dienst ruft sie ab; nichts davon wird aufbewahrt außer dem Ergebnis.</translation>
    </message>
    <message>
        <source>The service gave no proof of entry {seq:,}.</source>
        <translation>Der Dienst gab keinen Beweis für Eintrag {seq:,}.</translation>
    </message>
    <message>
        <source>The service gave no proof of this entry.</source>
        <translation>Der Dienst gab keinen Beweis für diesen Eintrag.</translation>
    </message>
    <message>
        <source>The service gives another policy than the one pinned on {since} ({difference}).</source>
        <translation>Der Dienst gibt eine andere Richtlinie an als die am {since} festgelegte ({difference}).</translation>
    </message>
    <message>
        <source>The service has no probe of it in {step} from {begin}.</source>
        <translation>Der Dienst hat davon für {step} ab {begin} keine Prüfung.</translation>
    </message>
    <message>
        <source>The service has not said which errors a tolerance costs.</source>
        <translation>Der Dienst hat nicht gesagt, welche Fehler eine Toleranz kostet.</translation>
    </message>
    <message>
        <source>The service is asked for that hour.</source>
        <translation>Der Dienst wird nach jener Stunde gefragt.</translation>
    </message>
    <message>
        <source>The service is of an earlier version: it does not say which site it is.</source>
        <translation>Der Dienst hat eine frühere Version: Er sagt nicht, welcher Standort er ist.</translation>
    </message>
    <message>
        <source>The service judges the recording.</source>
        <translation>Der Dienst beurteilt die Aufnahme.</translation>
    </message>
    <message>
        <source>The service makes the vocal signature.</source>
        <translation>Der Dienst erstellt die Stimmsignatur.</translation>
    </message>
    <message>
        <source>The service sent a checkpoint that is none.</source>
        <translation>Der Dienst sandte einen Checkpoint, der keiner ist.</translation>
    </message>
    <message>
        <source>The service was asked for that hour and is silent.</source>
        <translation>Der Dienst wurde nach jener Stunde gefragt und schweigt.</translation>
    </message>
    <message>
        <source>The service was ended by signal {number}.</source>
        <translation>Der Dienst wurde durch Signal {number} beendet.</translation>
    </message>
    <message>
        <source>The service was started anew.</source>
        <translation>Der Dienst wurde neu gestartet.</translation>
    </message>
    <message>
        <source>The service&apos;s disk is nearly full</source>
        <translation>Die Platte des Dienstes ist fast voll</translation>
    </message>
    <message>
        <source>The service&apos;s log is on the clipboard.</source>
        <translation>Das Dienstprotokoll liegt in der Zwischenablage.</translation>
    </message>
    <message>
        <source>The service&apos;s statement of its site cannot be believed: {error}.</source>
        <translation>Der Erklärung des Dienstes zu seinem Standort ist nicht zu trauen: {error}.</translation>
    </message>
    <message>
        <source>The service&apos;s statement of its site is not signed by the key that it names.</source>
        <translation>Die Erklärung des Dienstes zu seinem Standort ist nicht mit dem Schlüssel signiert, den sie nennt.</translation>
    </message>
    <message>
        <source>The session ends in {left} and is renewed before.</source>
        <translation>Die Sitzung endet in {left} und wird vorher erneuert.</translation>
    </message>
    <message>
        <source>The shown card gets a new PIN when another Citadel key has agreed.</source>
        <translation>Die gezeigte Karte erhält eine neue PIN, wenn ein anderer Citadel-Schlüssel zugestimmt hat.</translation>
    </message>
    <message>
        <source>The shown card may be written for somebody else when another Citadel key has agreed.</source>
        <translation>Die gezeigte Karte darf für jemand anderen geschrieben werden, wenn ein anderer Citadel-Schlüssel zugestimmt hat.</translation>
    </message>
    <message>
        <source>The sidecar manifest of the burn&apos;s first segment of the revocation log.</source>
        <translation>Das Begleitmanifest zum ersten Segment der Sperrung im Widerrufsprotokoll.</translation>
    </message>
    <message>
        <source>The signed bundle</source>
        <translation>Das signierte Paket</translation>
    </message>
    <message>
        <source>The signed document itself.</source>
        <translation>Das signierte Dokument selbst.</translation>
    </message>
    <message>
        <source>The signed receipt (JWS, JSON): anybody can verify it without this site.</source>
        <translation>Der signierte Beleg (JWS, JSON): Jeder kann ihn ohne diesen Standort prüfen.</translation>
    </message>
    <message>
        <source>The site allows no higher tolerance: ask its administrator.</source>
        <translation>Der Standort erlaubt keine höhere Toleranz: Fragen Sie seinen Administrator.</translation>
    </message>
    <message>
        <source>The sound goes on until somebody signs in and takes it.</source>
        <translation>Der Ton dauert an, bis sich jemand anmeldet und übernimmt.</translation>
    </message>
    <message>
        <source>The sound library PortAudio is not on this machine. Install the Debian package libportaudio2 and start the console again. A recording can be opened or dropped all the same.</source>
        <translation>Die Tonbibliothek PortAudio ist nicht auf diesem Rechner. Installieren Sie das Debian-Paket libportaudio2 und starten Sie die Konsole neu. Eine Aufnahme lässt sich trotzdem öffnen oder hineinziehen.</translation>
    </message>
    <message>
        <source>The sound system does not answer: {error}.</source>
        <translation>Das Tonsystem antwortet nicht: {error}.</translation>
    </message>
    <message>
        <source>The source and its heatmap stand here.</source>
        <translation>Die Quelle und ihre Heatmap stehen hier.</translation>
    </message>
    <message>
        <source>The source has not called yet.</source>
        <translation>Die Quelle hat sich noch nicht gemeldet.</translation>
    </message>
    <message>
        <source>The span must begin in the past, before it ends.</source>
        <translation>Der Zeitraum muss in der Vergangenheit beginnen, vor seinem Ende.</translation>
    </message>
    <message>
        <source>The spreadsheet has rounded this number; format the column as text.</source>
        <translation>Die Tabellenkalkulation hat diese Zahl gerundet; formatieren Sie die Spalte als Text.</translation>
    </message>
    <message>
        <source>The square leaves the picture: swap the marks, or take a picture that shows more.</source>
        <translation>Das Quadrat ragt aus dem Bild: Tauschen Sie die Marken, oder nehmen Sie ein Bild, das mehr zeigt.</translation>
    </message>
    <message>
        <source>The square that is sent</source>
        <translation>Das Quadrat, das gesendet wird</translation>
    </message>
    <message>
        <source>The square that is sent, 128 x 128 grey</source>
        <translation>Das Quadrat, das gesendet wird, 128 x 128 in Graustufen</translation>
    </message>
    <message>
        <source>The statement&apos;s C2SP tlog-proof file: place, path, checkpoint, witnesses.</source>
        <translation>Die C2SP-tlog-proof-Datei der Aussage: Platz, Pfad, Checkpoint, Zeugen.</translation>
    </message>
    <message>
        <source>The strip of the last hour: Left and Right go to a moment of the past, Ctrl+Page Up to the hour before, a figure types its time, also with a date, Esc is live.</source>
        <translation>Der Streifen der letzten Stunde: Links und Rechts führen zu einem Moment der Vergangenheit, Strg+Bild auf zur Stunde davor, eine Ziffer beginnt die Eingabe einer Zeit, auch mit Datum, Esc ist live.</translation>
    </message>
    <message>
        <source>The sub by which the OpenID provider names this operator, 1 to 255 characters.</source>
        <translation>Das „sub“, mit dem der OpenID-Anbieter diesen Bediener benennt, 1 bis 255 Zeichen.</translation>
    </message>
    <message>
        <source>The subject&apos;s standing shows that moment; all else shows now.</source>
        <translation>Der Status der Person zeigt jenen Moment; alles andere zeigt jetzt.</translation>
    </message>
    <message>
        <source>The table stands at that moment; rows above it came later.</source>
        <translation>Die Tabelle steht auf diesem Zeitpunkt; Zeilen darüber kamen später.</translation>
    </message>
    <message>
        <source>The template stands out of all others. It is no live check: nothing in it tells when it was made, so it lifts no standing and opens no door by itself.</source>
        <translation>Das Template hebt sich von allen anderen ab. Es ist keine Live-Prüfung: Nichts darin sagt, wann es erstellt wurde, daher hebt es keinen Status auf und öffnet von sich aus keine Tür.</translation>
    </message>
    <message>
        <source>The terminal&apos;s acknowledgement</source>
        <translation>Die Bestätigung des Terminals</translation>
    </message>
    <message>
        <source>The terminal&apos;s frame was not taken: its cause is in the audit log.</source>
        <translation>Das Frame des Terminals wurde nicht angenommen: Der Grund steht im Audit-Protokoll.</translation>
    </message>
    <message>
        <source>The text is on the clipboard.</source>
        <translation>Der Text liegt in der Zwischenablage.</translation>
    </message>
    <message>
        <source>The time stamps need somebody</source>
        <translation>Die Zeitstempel brauchen jemanden</translation>
    </message>
    <message>
        <source>The token is never shown again, and goes to a registered address only: with another address it must be given again.</source>
        <translation>Das Token wird nie wieder gezeigt und geht nur an eine registrierte Adresse: Bei anderer Adresse muss es erneut angegeben werden.</translation>
    </message>
    <message>
        <source>The token was found; the wrong person was burned</source>
        <translation>Das Token wurde gefunden; die falsche Person wurde gesperrt</translation>
    </message>
    <message>
        <source>The trace</source>
        <translation>Der Trace</translation>
    </message>
    <message>
        <source>The tracking token is on the clipboard.</source>
        <translation>Das Tracking-Token liegt in der Zwischenablage.</translation>
    </message>
    <message>
        <source>The transport keys of {uid} are removed.</source>
        <translation>Die Transportschlüssel von {uid} sind entfernt.</translation>
    </message>
    <message>
        <source>The transport keys of {uid} are set and sealed.</source>
        <translation>Die Transportschlüssel von {uid} sind gesetzt und versiegelt.</translation>
    </message>
    <message>
        <source>The two are not the same.</source>
        <translation>Die beiden sind nicht gleich.</translation>
    </message>
    <message>
        <source>The uploader objected</source>
        <translation>Der Hochladende hat widersprochen</translation>
    </message>
    <message>
        <source>The uploader objected: from here on a person decides.</source>
        <translation>Der Hochladende hat widersprochen: Ab hier entscheidet eine Person.</translation>
    </message>
    <message>
        <source>The vocal signature of {person} is gone.</source>
        <translation>Die Stimmsignatur von {person} ist gelöscht.</translation>
    </message>
    <message>
        <source>The whole screen for a wall: state, figures and their age, no names, no actions. Esc goes back.</source>
        <translation>Der ganze Bildschirm für eine Wand: Zustand, Zahlen und ihr Alter, keine Namen, keine Aktionen. Esc geht zurück.</translation>
    </message>
    <message>
        <source>The witnesses have not confirmed yet that this store is the newest: until then its log signs for nobody.</source>
        <translation>Die Zeugen haben noch nicht bestätigt, dass dieser Datenbestand der neueste ist: Bis dahin signiert sein Protokoll für niemanden.</translation>
    </message>
    <message>
        <source>The witnesses of the logs need somebody</source>
        <translation>Die Zeugen der Protokolle brauchen jemanden</translation>
    </message>
    <message>
        <source>The worst five</source>
        <translation>Die fünf schlechtesten</translation>
    </message>
    <message>
        <source>The worst five burns; Enter opens the board</source>
        <translation>Die fünf schlechtesten Sperrungen; Eingabe öffnet die Ziele</translation>
    </message>
    <message>
        <source>The write stopped in the middle.</source>
        <translation>Das Schreiben brach mittendrin ab.</translation>
    </message>
    <message>
        <source>The {kind} {number} goes to {platform} by {channel}</source>
        <translation>Die {kind} {number} geht per {channel} an {platform}</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farbschema</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>Danach</translation>
    </message>
    <message>
        <source>Then: {what}</source>
        <translation>Danach: {what}</translation>
    </message>
    <message>
        <source>There is a PIN to give out when the card is finished.</source>
        <translation>Eine PIN gibt es, wenn die Karte fertig ist.</translation>
    </message>
    <message>
        <source>There is no badge to print.</source>
        <translation>Es ist kein Ausweis zu drucken.</translation>
    </message>
    <message>
        <source>There is no picture, for the scan failed.</source>
        <translation>Es gibt kein Bild, denn die Prüfung ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>There is no picture.</source>
        <translation>Es gibt kein Bild.</translation>
    </message>
    <message>
        <source>There is no print system on this machine. {save_instead}</source>
        <translation>Auf diesem Rechner gibt es kein Drucksystem. {save_instead}</translation>
    </message>
    <message>
        <source>There is no result.</source>
        <translation>Es gibt kein Ergebnis.</translation>
    </message>
    <message>
        <source>There is nothing to scan in it.</source>
        <translation>Darin ist nichts zu prüfen.</translation>
    </message>
    <message>
        <source>There was one after that moment; which was the last before it is not known here.</source>
        <translation>Nach jenem Moment gab es eine; welche die letzte davor war, ist hier nicht bekannt.</translation>
    </message>
    <message>
        <source>These are 512 float32 features from before the registry&apos;s rotation: they can be enrolled. To be compared, a template has 512 signed bytes, made under the registry&apos;s key by a party that has it.</source>
        <translation>Das sind 512 float32-Merkmale von vor der Rotation des Registers: Sie lassen sich erfassen. Zum Vergleichen braucht ein Template 512 vorzeichenbehaftete Bytes, erstellt unter dem Schlüssel des Registers von einer Stelle, die ihn hat.</translation>
    </message>
    <message>
        <source>These are the newest {count}; there may be more in the span.</source>
        <translation>Das sind die neuesten {count}; der Zeitraum kann mehr enthalten.</translation>
    </message>
    <message>
        <source>These digits were asked for:</source>
        <translation>Verlangt waren diese Ziffern:</translation>
    </message>
    <message>
        <source>They are set and never shown. New ones take the place of all of them.</source>
        <translation>Sie sind gesetzt und werden nie angezeigt. Neue ersetzen sie alle.</translation>
    </message>
    <message>
        <source>They are set since {time} and never shown. New ones take the place of all of them.</source>
        <translation>Sie sind seit {time} gesetzt und werden nie angezeigt. Neue ersetzen sie alle.</translation>
    </message>
    <message>
        <source>This card is for training and opens nothing real. If you find it, please hand it to the issuer.</source>
        <translation>Übungskarte: öffnet nichts Echtes. Finder: bitte beim Aussteller abgeben.</translation>
    </message>
    <message>
        <source>This code was accepted before. An alarm is open: see who stands at {terminal}.</source>
        <translation>Dieser Code wurde schon einmal angenommen. Ein Alarm ist offen: Sehen Sie nach, wer an {terminal} steht.</translation>
    </message>
    <message>
        <source>This console has no goal of handshakes: nothing is said to be fast enough.</source>
        <translation>Diese Konsole hat kein Ziel für Handshakes: Nichts gilt als schnell genug.</translation>
    </message>
    <message>
        <source>This console is connected with a Sovereign key: it can neither see nor change API keys.</source>
        <translation>Diese Konsole ist mit einem Sovereign-Schlüssel verbunden: Sie kann API-Schlüssel weder sehen noch ändern.</translation>
    </message>
    <message>
        <source>This console is connected with a Sovereign key: it can neither see nor change directories.</source>
        <translation>Diese Konsole ist mit einem Sovereign-Schlüssel verbunden: Sie kann Verzeichnisse weder sehen noch ändern.</translation>
    </message>
    <message>
        <source>This console is connected with a Sovereign key: it can neither see nor change operators.</source>
        <translation>Diese Konsole ist mit einem Sovereign-Schlüssel verbunden: Sie kann Bediener weder sehen noch ändern.</translation>
    </message>
    <message>
        <source>This console is connected with a Sovereign key: it sees neither who was discharged nor the sources.</source>
        <translation>Diese Konsole ist mit einem Sovereign-Schlüssel verbunden: Sie sieht weder, wer ausgetreten ist, noch die Quellen.</translation>
    </message>
    <message>
        <source>This console is connected with a Sovereign key: it sees no strike and may issue none.</source>
        <translation>Diese Konsole ist mit einem Sovereign-Schlüssel verbunden: Sie sieht keinen Vorgang und darf keine Erklärung ausstellen.</translation>
    </message>
    <message>
        <source>This console&apos;s key</source>
        <translation>Schlüssel dieser Konsole</translation>
    </message>
    <message>
        <source>This console&apos;s key is a Sovereign one: to ask and to agree takes two consoles with Citadel keys.</source>
        <translation>Der Schlüssel dieser Konsole ist ein Sovereign-Schlüssel: Anfordern und Zustimmen braucht zwei Konsolen mit Citadel-Schlüsseln.</translation>
    </message>
    <message>
        <source>This console&apos;s key is a Sovereign one; use another.</source>
        <translation>Der Schlüssel dieser Konsole ist ein Sovereign-Schlüssel; verwenden Sie einen anderen.</translation>
    </message>
    <message>
        <source>This console&apos;s own key lives only as long as the service that it started, and is not in this list.</source>
        <translation>Der eigene Schlüssel dieser Konsole lebt nur so lange wie der Dienst, den sie gestartet hat, und steht nicht in dieser Liste.</translation>
    </message>
    <message>
        <source>This desktop has no tray that could keep it. No alarm calls here until the console is started again.</source>
        <translation>Dieser Desktop hat keine Ablage, in der sie bleiben könnte. Kein Alarm ruft hier, bis die Konsole wieder gestartet wird.</translation>
    </message>
    <message>
        <source>This element stands in line {line} already.</source>
        <translation>Dieses Element steht schon in Zeile {line}.</translation>
    </message>
    <message>
        <source>This entry carries no payload, or it was erased.</source>
        <translation>Dieser Eintrag trägt keine Nutzdaten, oder sie wurden gelöscht.</translation>
    </message>
    <message>
        <source>This file is no list.</source>
        <translation>Diese Datei ist keine Liste.</translation>
    </message>
    <message>
        <source>This file is past its review of {date}: the law may have changed.</source>
        <translation>Die Überprüfung dieser Datei war am {date} fällig: Das Gesetz kann sich geändert haben.</translation>
    </message>
    <message>
        <source>This hand is enrolled as {person}. See by papers and card who stands before you, erase the templates of the wrong one, enrol the right one again: that ends the alarm.</source>
        <translation>Diese Hand ist als {person} erfasst. Stellen Sie anhand von Papieren und Karte fest, wer vor Ihnen steht, löschen Sie die Templates der falschen Person, und erfassen Sie die richtige erneut: Das beendet den Alarm.</translation>
    </message>
    <message>
        <source>This is another card</source>
        <translation>Das ist eine andere Karte</translation>
    </message>
    <message>
        <source>This is for the role {needed}; you are signed in as {held}.</source>
        <translation>Das ist für die Rolle {needed}; Sie sind als {held} angemeldet.</translation>
    </message>
    <message>
        <source>This is more than {count} entries of the log: choose fewer rows for one bundle.</source>
        <translation>Das sind mehr als {count} Einträge des Protokolls: Wählen Sie weniger Zeilen für ein Paket.</translation>
    </message>
    <message>
        <source>This is no answer to a sign-in that this console began.</source>
        <translation>Das ist keine Antwort auf eine Anmeldung, die diese Konsole begonnen hat.</translation>
    </message>
    <message>
        <source>This is no code of a terminal: such a text has 57 characters and begins with KQ1:</source>
        <translation>Das ist kein Code eines Terminals: Ein solcher Text hat 57 Zeichen und beginnt mit KQ1:</translation>
    </message>
    <message>
        <source>This is no file.</source>
        <translation>Das ist keine Datei.</translation>
    </message>
    <message>
        <source>This is no text file. Save the sheet as CSV and choose that file.</source>
        <translation>Das ist keine Textdatei. Speichern Sie die Tabelle als CSV und wählen Sie diese Datei.</translation>
    </message>
    <message>
        <source>This is not the same as above.</source>
        <translation>Das ist nicht dasselbe wie oben.</translation>
    </message>
    <message>
        <source>This is the only time that it is shown. Give it to HR, by a way that nobody reads.</source>
        <translation>Nur jetzt wird es angezeigt. Geben Sie es der Personalabteilung auf einem Weg, den niemand mitliest.</translation>
    </message>
    <message>
        <source>This is the only time that it is shown. Put it where it belongs before you close this.</source>
        <translation>Es wird nur dieses eine Mal gezeigt. Legen Sie es dort ab, wohin es gehört, bevor Sie dies schließen.</translation>
    </message>
    <message>
        <source>This is the secret in use until now. Give the new one.</source>
        <translation>Das ist das bisher gültige Geheimnis. Geben Sie das neue ein.</translation>
    </message>
    <message>
        <source>This key was refused.</source>
        <translation>Dieser Schlüssel wurde abgelehnt.</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>This machine has no microphone. Plug one in and start the console again, or open a file of a recording.</source>
        <translation>Dieser Rechner hat kein Mikrofon. Schließen Sie eines an und starten Sie die Konsole neu, oder öffnen Sie die Datei einer Aufnahme.</translation>
    </message>
    <message>
        <source>This microphone is not there any more. Choose another one.</source>
        <translation>Dieses Mikrofon ist nicht mehr da. Wählen Sie ein anderes.</translation>
    </message>
    <message>
        <source>This node stands in line {line} already.</source>
        <translation>Diese Person steht schon in Zeile {line}.</translation>
    </message>
    <message>
        <source>This page shows now.</source>
        <translation>Diese Seite zeigt die Gegenwart.</translation>
    </message>
    <message>
        <source>This paper proves nothing, and no evidence bundle was made with it: the audit log has no entry of a burn or an alarm in this span, or none was asked for.</source>
        <translation>Dieses Papier beweist nichts, und kein Beweispaket entstand mit ihm: Das Audit-Protokoll hat in diesem Zeitraum keinen Eintrag einer Sperrung oder eines Alarms, oder es wurde keines verlangt.</translation>
    </message>
    <message>
        <source>This paper proves nothing. Of its burns and alarms {count} entries of the signed audit log lie, each with its proof, in {name} beside it, a zip whose SHA-256 is</source>
        <translation>Dieses Papier beweist nichts. Von seinen Sperrungen und Alarmen liegen {count} Einträge des signierten Audit-Protokolls, jeder mit seinem Beweis, daneben in {name}, einem ZIP mit der SHA-256</translation>
    </message>
    <message>
        <source>This paper proves nothing: it repeats the signed bundle of the scan, a zip whose SHA-256 is</source>
        <translation>Dieses Papier beweist nichts: Es wiederholt das signierte Beweispaket der Prüfung, ein Zip mit der SHA-256</translation>
    </message>
    <message>
        <source>This person is burned; no card is written for them.</source>
        <translation>Diese Person ist gesperrt; für sie wird keine Karte geschrieben.</translation>
    </message>
    <message>
        <source>This person is contained; no card is written for them.</source>
        <translation>Diese Person ist festgesetzt; für sie wird keine Karte geschrieben.</translation>
    </message>
    <message>
        <source>This person on this machine</source>
        <translation>Diese Person an diesem Rechner</translation>
    </message>
    <message>
        <source>This person&apos;s card. Write shows its proof; nothing is written.</source>
        <translation>Die Karte dieser Person. „Karte schreiben“ zeigt ihren Beweis; nichts wird geschrieben.</translation>
    </message>
    <message>
        <source>This reader takes other cards again; the torn one can be finished later.</source>
        <translation>Dieses Lesegerät nimmt wieder andere Karten; die halb geschriebene kann später fertiggestellt werden.</translation>
    </message>
    <message>
        <source>This screen is large, and its text is small. Text can be shown at {scale} %.</source>
        <translation>Dieser Bildschirm ist groß und der Text klein. Der Text kann mit {scale} % gezeigt werden.</translation>
    </message>
    <message>
        <source>This site</source>
        <translation>Dieser Standort</translation>
    </message>
    <message>
        <source>This site and every system connected to it.</source>
        <translation>Dieser Standort und jedes mit ihm verbundene System.</translation>
    </message>
    <message>
        <source>This site has had two administrators, so an administrator or a Citadel key is made and changed by two: you ask, another one approves under Settings, Operators, and then either of you carries it out there. Nothing is changed until then.</source>
        <translation>Dieser Standort hatte zwei Administratoren, also wird ein Administrator oder ein Citadel-Schlüssel zu zweit erstellt und geändert: Sie fragen an, ein anderer gibt unter „Einstellungen“, „Bediener“ frei, und dann führt es einer von Ihnen dort aus. Bis dahin ändert sich nichts.</translation>
    </message>
    <message>
        <source>This site has no model that judges such a file.</source>
        <translation>Dieser Standort hat kein Modell, das eine solche Datei beurteilt.</translation>
    </message>
    <message>
        <source>This site has no operator yet.</source>
        <translation>Dieser Standort hat noch keinen Bediener.</translation>
    </message>
    <message>
        <source>This site&apos;s own files stand in place of the shipped ones. What differs:</source>
        <translation>Eigene Dateien dieses Standorts stehen an der Stelle der mitgelieferten. Was abweicht:</translation>
    </message>
    <message>
        <source>This system cannot confine a decoder, so nothing is decoded here: see the README.</source>
        <translation>Dieses System kann einen Decoder nicht einsperren, daher wird hier nichts dekodiert: siehe README.</translation>
    </message>
    <message>
        <source>This takes a second administrator</source>
        <translation>Das braucht einen zweiten Administrator</translation>
    </message>
    <message>
        <source>This voice carries the traces of a machine, or was sent before.</source>
        <translation>Diese Stimme trägt die Spuren einer Maschine oder wurde schon gesendet.</translation>
    </message>
    <message>
        <source>Three takes or more, with 12 s of speech together, make one vocal signature.</source>
        <translation>Drei oder mehr Sprechproben mit zusammen 12 s Sprache ergeben eine Stimmsignatur.</translation>
    </message>
    <message>
        <source>Thu</source>
        <translation>Do</translation>
    </message>
    <message>
        <source>Thumbnail</source>
        <translation>Vorschaubild</translation>
    </message>
    <message>
        <source>Tick at least one cluster (Space).</source>
        <translation>Kreuzen Sie mindestens eine Türgruppe an (Leertaste).</translation>
    </message>
    <message>
        <source>Tick it if the person said exactly these.</source>
        <translation>Kreuzen Sie es an, wenn die Person genau diese gesagt hat.</translation>
    </message>
    <message>
        <source>Ticked in the registry</source>
        <translation>Im Register angekreuzt</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Time from the call to the proof, by system</source>
        <translation>Zeit vom Aufruf bis zum Beweis, je System</translation>
    </message>
    <message>
        <source>Time of an API call.</source>
        <translation>Dauer eines API-Aufrufs.</translation>
    </message>
    <message>
        <source>Time stamp</source>
        <translation>Zeitstempel</translation>
    </message>
    <message>
        <source>Time strip, the hour around {time}</source>
        <translation>Zeitstreifen, die Stunde um {time}</translation>
    </message>
    <message>
        <source>Time strip, the last hour</source>
        <translation>Zeitstreifen, die letzte Stunde</translation>
    </message>
    <message>
        <source>Time to last door: {time}</source>
        <translation>Zeit bis zur letzten Tür: {time}</translation>
    </message>
    <message>
        <source>Time to show</source>
        <translation>Zeit, die gezeigt wird</translation>
    </message>
    <message>
        <source>Time to the last door</source>
        <translation>Zeit bis zur letzten Tür</translation>
    </message>
    <message>
        <source>Time-out (ms)</source>
        <translation>Zeitlimit (ms)</translation>
    </message>
    <message>
        <source>Time: {clock}</source>
        <translation>Frist: {clock}</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>Times of the site are shown as the service has them.</source>
        <translation>Zeiten des Standorts stehen hier, wie der Dienst sie hat.</translation>
    </message>
    <message>
        <source>Title of the work</source>
        <translation>Titel des Werks</translation>
    </message>
    <message>
        <source>To</source>
        <comment>time</comment>
        <translation>Bis</translation>
    </message>
    <message>
        <source>To bundle</source>
        <translation>Zum Bündel</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Token leak</source>
        <translation>Token-Leck</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>Toleranz</translation>
    </message>
    <message>
        <source>Too little of it can be judged.</source>
        <translation>Zu wenig davon ist zu beurteilen.</translation>
    </message>
    <message>
        <source>Too little of it can be read.</source>
        <translation>Zu wenig davon ist lesbar.</translation>
    </message>
    <message>
        <source>Too old</source>
        <translation>Zu alt</translation>
    </message>
    <message>
        <source>Too short: 4 s are needed</source>
        <translation>Zu kurz: 4 s sind nötig</translation>
    </message>
    <message>
        <source>Took its key {at}</source>
        <translation>Schlüssel übernommen {at}</translation>
    </message>
    <message>
        <source>Torn</source>
        <comment>of a card in a reader</comment>
        <translation>Unfertig</translation>
    </message>
    <message>
        <source>Torn</source>
        <translation>Halb geschrieben</translation>
    </message>
    <message>
        <source>Torn at {stage}</source>
        <translation>Abgerissen bei {stage}</translation>
    </message>
    <message>
        <source>Torn card</source>
        <translation>Halb geschriebene Karte</translation>
    </message>
    <message>
        <source>Torn, line {line} of {total}</source>
        <translation>Halb geschrieben, Zeile {line} von {total}</translation>
    </message>
    <message>
        <source>Touched</source>
        <translation>Betroffen</translation>
    </message>
    <message>
        <source>Touched by the burn</source>
        <translation>Von der Sperrung betroffen</translation>
    </message>
    <message>
        <source>Training card to put in</source>
        <translation>Einzulegende Übungskarte</translation>
    </message>
    <message>
        <source>Training drawer</source>
        <translation>Übungsschublade</translation>
    </message>
    <message>
        <source>Training operators need no card on a training site.</source>
        <translation>Übungsbediener brauchen in einer Übungsumgebung keine Karte.</translation>
    </message>
    <message>
        <source>Training or real</source>
        <translation>Training oder echt</translation>
    </message>
    <message>
        <source>Training sends to this machine alone; in production everything would be held.</source>
        <translation>Die Übungsumgebung sendet nur an diesen Rechner; im Produktivbetrieb würde alles zurückgehalten.</translation>
    </message>
    <message>
        <source>Training site</source>
        <translation>Übungsumgebung</translation>
    </message>
    <message>
        <source>Training site: simulated cards, readers and people; everything it issues is marked TRAINING.</source>
        <translation>Übungsumgebung: simulierte Karten, Lesegeräte und Personen; alles, was sie ausstellt, ist mit TRAINING gekennzeichnet.</translation>
    </message>
    <message>
        <source>Training: at the door</source>
        <translation>Übung: an der Tür</translation>
    </message>
    <message>
        <source>Training: lay a palm</source>
        <translation>Übung: Handfläche auflegen</translation>
    </message>
    <message>
        <source>Transport keys</source>
        <translation>Transportschlüssel</translation>
    </message>
    <message>
        <source>Transport keys of the maker: {keys}. They are kept sealed and never shown.</source>
        <translation>Transportschlüssel des Herstellers: {keys}. Sie werden versiegelt aufbewahrt und nie angezeigt.</translation>
    </message>
    <message>
        <source>Transport keys of {uid}</source>
        <translation>Transportschlüssel von {uid}</translation>
    </message>
    <message>
        <source>Tray</source>
        <translation>Ablage</translation>
    </message>
    <message>
        <source>Tried again by itself, within a minute at most, and at once when it answers. Ctrl+R tries now.</source>
        <translation>Wird von selbst erneut versucht, spätestens nach einer Minute, und sofort, wenn das Ziel antwortet. Strg+R versucht es jetzt.</translation>
    </message>
    <message>
        <source>Tried: {found}.</source>
        <translation>Erprobt: {found}.</translation>
    </message>
    <message>
        <source>Trust another card maker</source>
        <translation>Weiterem Kartenhersteller vertrauen</translation>
    </message>
    <message>
        <source>Trust it</source>
        <translation>Vertrauen</translation>
    </message>
    <message>
        <source>Trust the new policy</source>
        <translation>Neuer Richtlinie vertrauen</translation>
    </message>
    <message>
        <source>Trust the new policy?</source>
        <translation>Der neuen Richtlinie vertrauen?</translation>
    </message>
    <message>
        <source>Trust this maker</source>
        <translation>Hersteller vertrauen</translation>
    </message>
    <message>
        <source>Trust {maker} to attest?</source>
        <translation>{maker} zur Attestierung vertrauen?</translation>
    </message>
    <message>
        <source>Trusted</source>
        <translation>Vertrauenswürdig</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>Versuchen Sie es gleich noch einmal.</translation>
    </message>
    <message>
        <source>Try again later; if it stays so, look into the service&apos;s log.</source>
        <translation>Versuchen Sie es später erneut; bleibt es so, sehen Sie in das Protokoll des Dienstes.</translation>
    </message>
    <message>
        <source>Try it when it is saved: reads, and changes nothing</source>
        <translation>Beim Speichern erproben: liest und ändert nichts</translation>
    </message>
    <message>
        <source>Try one door</source>
        <translation>Eine Tür ausprobieren</translation>
    </message>
    <message>
        <source>Try the directory</source>
        <translation>Verzeichnis erproben</translation>
    </message>
    <message>
        <source>Try this target now</source>
        <translation>Dieses Ziel jetzt versuchen</translation>
    </message>
    <message>
        <source>Try {name} again</source>
        <translation>{name} erneut versuchen</translation>
    </message>
    <message>
        <source>Tue</source>
        <translation>Di</translation>
    </message>
    <message>
        <source>Turn the microphone down or go a little away from it, then speak again.</source>
        <translation>Regeln Sie das Mikrofon herunter oder gehen Sie etwas weiter weg, und sprechen Sie noch einmal.</translation>
    </message>
    <message>
        <source>Turn the order around</source>
        <translation>Reihenfolge umkehren</translation>
    </message>
    <message>
        <source>Turn the table&apos;s order around</source>
        <translation>Reihenfolge der Tabelle umkehren</translation>
    </message>
    <message>
        <source>Turns the square to the other side of the valleys.</source>
        <translation>Dreht das Quadrat auf die andere Seite der Fingermulden.</translation>
    </message>
    <message>
        <source>Two keys</source>
        <translation>Zwei Schlüssel</translation>
    </message>
    <message>
        <source>Two keys: one asks, another one agrees</source>
        <translation>Zwei Schlüssel: Einer beantragt, ein anderer stimmt zu</translation>
    </message>
    <message>
        <source>Two letters each, best first, with blanks between them: de en.</source>
        <translation>Je zwei Buchstaben, beste zuerst, durch Leerzeichen getrennt: de en.</translation>
    </message>
    <message>
        <source>Two places show the same</source>
        <translation>Zwei Stellen zeigen dasselbe</translation>
    </message>
    <message>
        <source>Two registries cannot be linked by score while their keys are secret. Whoever steals a registry&apos;s key can work out what was enrolled: guard the key, and renew the registry when in doubt.</source>
        <translation>Zwei Register lassen sich nicht über ihre Werte verknüpfen, solange ihre Schlüssel geheim sind. Wer den Schlüssel eines Registers stiehlt, kann errechnen, was erfasst wurde: Hüten Sie den Schlüssel, und erneuern Sie im Zweifel das Register.</translation>
    </message>
    <message>
        <source>Two steps old, slow link</source>
        <translation>Zwei Schritte alt, langsame Verbindung</translation>
    </message>
    <message>
        <source>Two: rotating</source>
        <translation>Zwei: Wechsel läuft</translation>
    </message>
    <message>
        <source>Type a command</source>
        <translation>Befehl eingeben</translation>
    </message>
    <message>
        <source>Type a command, {others}</source>
        <translation>Befehl eingeben, {others}</translation>
    </message>
    <message>
        <source>Type a name or an id, Enter chooses.</source>
        <translation>Geben Sie Name oder ID ein, Eingabetaste wählt.</translation>
    </message>
    <message>
        <source>Type a name or an id. An id that is not registered can be burned too.</source>
        <translation>Geben Sie einen Namen oder eine ID ein. Auch eine nicht registrierte ID lässt sich sperren.</translation>
    </message>
    <message>
        <source>Type name and passphrase.</source>
        <translation>Geben Sie Name und Passphrase ein.</translation>
    </message>
    <message>
        <source>Type the name as it stands in “Declared by”.</source>
        <translation>Geben Sie den Namen so ein, wie er unter „Erklärt von“ steht.</translation>
    </message>
    <message>
        <source>Type the {kind} and press Enter instead of holding</source>
        <translation>Statt zu halten: {kind} eingeben und Eingabe drücken</translation>
    </message>
    <message>
        <source>Type your name to say so</source>
        <translation>Ihr Name zur Bestätigung</translation>
    </message>
    <message>
        <source>Typed name</source>
        <translation>Eingetippter Name</translation>
    </message>
    <message>
        <source>UNIT</source>
        <translation>Einheit</translation>
    </message>
    <message>
        <source>UNTIL</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>UPLINK GROUP</source>
        <translation>Uplink-Gruppe</translation>
    </message>
    <message>
        <source>USUAL FOR THE LIVING</source>
        <translation>Üblich bei Lebenden</translation>
    </message>
    <message>
        <source>Un-burn</source>
        <translation>Entsperren</translation>
    </message>
    <message>
        <source>Un-burn {person}</source>
        <translation>{person} entsperren</translation>
    </message>
    <message>
        <source>Unblock the card or take another one.</source>
        <translation>Entsperren Sie die Karte oder nehmen Sie eine andere.</translation>
    </message>
    <message>
        <source>Unconfirmed</source>
        <translation>Unbestätigt</translation>
    </message>
    <message>
        <source>Undecided</source>
        <translation>Unentschieden</translation>
    </message>
    <message>
        <source>Under each stage: its time</source>
        <translation>Unter jeder Stufe: ihre Zeit</translation>
    </message>
    <message>
        <source>Under maintenance: probed, but never an alarm</source>
        <translation>In Wartung: wird geprüft, ist aber nie ein Alarm</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo what the message tells of</source>
        <translation>Rückgängig machen, wovon die Nachricht handelt</translation>
    </message>
    <message>
        <source>Undo: {text}</source>
        <translation>Rückgängig: {text}</translation>
    </message>
    <message>
        <source>Unfold or fold every act</source>
        <translation>Alle Vorgänge auf- oder zuklappen</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>Einheit</translation>
    </message>
    <message>
        <source>Unit {unit} follows the events of the site</source>
        <translation>Einheit {unit} folgt den Ereignissen des Standorts</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>Einheiten</translation>
    </message>
    <message>
        <source>Units: machines that sign with their own key</source>
        <translation>Einheiten: Maschinen, die mit eigenem Schlüssel signieren</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
    <message>
        <source>Unknown employee</source>
        <translation>Unbekannte Personalnummer</translation>
    </message>
    <message>
        <source>Unknown node</source>
        <translation>Unbekannte Personen-ID</translation>
    </message>
    <message>
        <source>Unknown unit</source>
        <translation>Unbekannte Einheit</translation>
    </message>
    <message>
        <source>Unknown, asking</source>
        <translation>Unbekannt, wird gefragt</translation>
    </message>
    <message>
        <source>Unknown, asking again until it is answered.</source>
        <translation>Unbekannt, wird erneut gefragt, bis eine Antwort kommt.</translation>
    </message>
    <message>
        <source>Unlike</source>
        <translation>Unähnlich</translation>
    </message>
    <message>
        <source>Unlike: take again</source>
        <translation>Unähnlich: neu aufnehmen</translation>
    </message>
    <message>
        <source>Unlinked</source>
        <translation>Nicht verknüpft</translation>
    </message>
    <message>
        <source>Unmute</source>
        <translation>Wieder laut</translation>
    </message>
    <message>
        <source>Unplug</source>
        <translation>Abziehen</translation>
    </message>
    <message>
        <source>Unplug the door</source>
        <translation>Leitung der Tür abziehen</translation>
    </message>
    <message>
        <source>Unplug {door}</source>
        <translation>{door} abziehen</translation>
    </message>
    <message>
        <source>Unplugged</source>
        <translation>Abgezogen</translation>
    </message>
    <message>
        <source>Unreachable</source>
        <translation>Nicht erreichbar</translation>
    </message>
    <message>
        <source>Unreadable</source>
        <translation>Unlesbar</translation>
    </message>
    <message>
        <source>Unreadable time</source>
        <translation>Zeit nicht lesbar</translation>
    </message>
    <message>
        <source>Unsigned</source>
        <translation>Unsigniert</translation>
    </message>
    <message>
        <source>Unsupported</source>
        <translation>Nicht unterstützt</translation>
    </message>
    <message>
        <source>Until</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>Until it is stopped, or its time is over.</source>
        <translation>Bis zum Anhalten oder bis seine Zeit um ist.</translation>
    </message>
    <message>
        <source>Until {time}</source>
        <translation>Bis {time}</translation>
    </message>
    <message>
        <source>Until {time}, says leaf {leaf:,} of the audit log.</source>
        <translation>Bis {time}, sagt Blatt {leaf:,} des Audit-Protokolls.</translation>
    </message>
    <message>
        <source>Unusual</source>
        <translation>Unüblich</translation>
    </message>
    <message>
        <source>Unusual, {deviations:.1f} from the middle</source>
        <translation>Unüblich, {deviations:.1f} von der Mitte</translation>
    </message>
    <message>
        <source>Unverified</source>
        <translation>Nicht verifiziert</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Erreichbar</translation>
    </message>
    <message>
        <source>Up to {time}</source>
        <translation>Bis {time}</translation>
    </message>
    <message>
        <source>Uplink</source>
        <translation>Uplink</translation>
    </message>
    <message>
        <source>Upper left</source>
        <translation>Oben links</translation>
    </message>
    <message>
        <source>Upper right</source>
        <translation>Oben rechts</translation>
    </message>
    <message>
        <source>Use a Citadel key for this.</source>
        <translation>Verwenden Sie dafür einen Citadel-Schlüssel.</translation>
    </message>
    <message>
        <source>Use a card in a reader, or the training drawer when you have none. Ten stages, read back and proven.</source>
        <translation>Nehmen Sie eine Karte im Lesegerät oder die Übungsschublade, wenn Sie keine haben. Zehn Stufen, zurückgelesen und bewiesen.</translation>
    </message>
    <message>
        <source>Use a microphone of this desk: a telephone line cuts off what is needed.</source>
        <translation>Nehmen Sie ein Mikrofon dieses Arbeitsplatzes: Eine Telefonleitung schneidet ab, was gebraucht wird.</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Benutzt</translation>
    </message>
    <message>
        <source>User and password. They prove nothing about the body: ask for client certificates too.</source>
        <translation>Benutzer und Passwort. Sie beweisen nichts über den Inhalt: Verlangen Sie zusätzlich Client-Zertifikate.</translation>
    </message>
    <message>
        <source>Usual</source>
        <translation>Üblich</translation>
    </message>
    <message>
        <source>Usual, {deviations:.1f} from the middle</source>
        <translation>Üblich, {deviations:.1f} von der Mitte</translation>
    </message>
    <message>
        <source>VALUES</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>VERDICT</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>VERSION</source>
        <translation>VERSION</translation>
    </message>
    <message>
        <source>Valid</source>
        <translation>Gültig</translation>
    </message>
    <message>
        <source>Valid until</source>
        <translation>Gültig bis</translation>
    </message>
    <message>
        <source>Valid untrusted</source>
        <translation>Gültig, nicht vertrauenswürdig</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>Verified by the policy that this console pinned at first sight on {since}.</source>
        <translation>Geprüft nach der Richtlinie, die diese Konsole auf den ersten Blick am {since} festgelegt hat.</translation>
    </message>
    <message>
        <source>Verified by the policy that this console pinned on {since}.</source>
        <translation>Geprüft nach der Richtlinie, die diese Konsole am {since} festgelegt hat.</translation>
    </message>
    <message>
        <source>Verified digital human</source>
        <translation>Verifizierter Mensch</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Verify now</source>
        <translation>Jetzt prüfen</translation>
    </message>
    <message>
        <source>Verify now checks every statement on this machine, without asking the service: seal, leaf, opening, witnesses, path, time stamp.</source>
        <translation>„Jetzt prüfen“ prüft jede Aussage auf diesem Rechner, ohne den Dienst zu fragen: Siegel, Blatt, Öffnung, Zeugen, Pfad, Zeitstempel.</translation>
    </message>
    <message>
        <source>Verify now checks on this machine that the leaf says what is shown, and that the log signed a tree which holds it.</source>
        <translation>„Jetzt prüfen“ prüft auf diesem Rechner, dass das Blatt sagt, was gezeigt wird, und dass das Protokoll einen Baum zeichnete, der es enthält.</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>Versionen</translation>
    </message>
    <message>
        <source>Video platform</source>
        <translation>Videoplattform</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>Stimme</translation>
    </message>
    <message>
        <source>Voice enrolled</source>
        <translation>Stimme erfasst</translation>
    </message>
    <message>
        <source>Voice enrolled {day}</source>
        <translation>Stimme erfasst {day}</translation>
    </message>
    <message>
        <source>Voice erased</source>
        <translation>Stimme gelöscht</translation>
    </message>
    <message>
        <source>Voice of {person} enrolled</source>
        <translation>Stimme von {person} erfasst</translation>
    </message>
    <message>
        <source>Voice of {person} erased</source>
        <translation>Stimme von {person} gelöscht</translation>
    </message>
    <message>
        <source>WAITED LONGEST FOR</source>
        <translation>Längstes Warten auf</translation>
    </message>
    <message>
        <source>WAV or FLAC, 1 to 30 s; it may also be dropped on the page.</source>
        <translation>WAV oder FLAC, 1 bis 30 s; sie lässt sich auch auf die Seite ziehen.</translation>
    </message>
    <message>
        <source>WHAT</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>WHAT HAPPENED</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <source>WHAT IS RIGHT</source>
        <translation>Richtig wäre</translation>
    </message>
    <message>
        <source>WHAT IS WRONG</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>WHAT IS WRONG WITH IT</source>
        <translation>Was daran nicht stimmt</translation>
    </message>
    <message>
        <source>WHAT IT MEANS</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>WHAT STAYS OPEN</source>
        <translation>Was offen bleibt</translation>
    </message>
    <message>
        <source>WHAT TO DO</source>
        <translation>Was zu tun ist</translation>
    </message>
    <message>
        <source>WHEN</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>WHERE</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>WHO</source>
        <translation>Wer</translation>
    </message>
    <message>
        <source>WHY</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>WHY OR WHOM</source>
        <translation>Warum oder wer</translation>
    </message>
    <message>
        <source>WHY, HOW LONG</source>
        <translation>Warum, wie lange</translation>
    </message>
    <message>
        <source>WITNESS</source>
        <translation>Zeuge</translation>
    </message>
    <message>
        <source>WRITTEN</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>WRITTEN FOR</source>
        <translation>Für</translation>
    </message>
    <message>
        <source>Wait for the countdown, then try again.</source>
        <translation>Warten Sie den Countdown ab und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>Wait: all readers write</source>
        <translation>Warten: alle Lesegeräte schreiben</translation>
    </message>
    <message>
        <source>Wait: every line has its card</source>
        <translation>Warten: jede Zeile hat ihre Karte</translation>
    </message>
    <message>
        <source>Wait: {count} readers are at work</source>
        <translation>Warten: {count} Lesegeräte arbeiten</translation>
    </message>
    <message>
        <source>Wait: {reader} looks at its card</source>
        <translation>Warten: {reader} prüft seine Karte</translation>
    </message>
    <message>
        <source>Wait: {reader} writes</source>
        <translation>Warten: {reader} schreibt</translation>
    </message>
    <message>
        <source>Wait: “{batch}” takes the cards first</source>
        <translation>Warten: „{batch}“ bekommt die Karten zuerst</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Waits</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Waits for a blank card</source>
        <translation>Wartet auf leere Karte</translation>
    </message>
    <message>
        <source>Waits for a decision</source>
        <translation>Wartet auf Entscheidung</translation>
    </message>
    <message>
        <source>Waits for card {uid}</source>
        <translation>Wartet auf Karte {uid}</translation>
    </message>
    <message>
        <source>Waits for you</source>
        <translation>Wartet auf Sie</translation>
    </message>
    <message>
        <source>Waits for: {names}</source>
        <translation>Wartet auf: {names}</translation>
    </message>
    <message>
        <source>Wall display</source>
        <translation>Wandanzeige</translation>
    </message>
    <message>
        <source>Wall display: {word}. {sentence}</source>
        <translation>Wandanzeige: {word}. {sentence}</translation>
    </message>
    <message>
        <source>Was away and came back once</source>
        <translation>War einmal weg und kam zurück</translation>
    </message>
    <message>
        <source>Was away and came back {count} times</source>
        <translation>War {count}-mal weg und kam zurück</translation>
    </message>
    <message>
        <source>Was {word}</source>
        <translation>War {word}</translation>
    </message>
    <message>
        <source>Was {word} at {time}</source>
        <translation>War {word} um {time}</translation>
    </message>
    <message>
        <source>Watch</source>
        <translation>Überwachen</translation>
    </message>
    <message>
        <source>Watch the feed</source>
        <translation>Feed überwachen</translation>
    </message>
    <message>
        <source>Watch {name}</source>
        <translation>{name} überwachen</translation>
    </message>
    <message>
        <source>Watching</source>
        <translation>Wird überwacht</translation>
    </message>
    <message>
        <source>Ways to scan</source>
        <translation>Arten der Prüfung</translation>
    </message>
    <message>
        <source>Ways to verify</source>
        <translation>Arten der Prüfung</translation>
    </message>
    <message>
        <source>Weak</source>
        <translation>Schwach</translation>
    </message>
    <message>
        <source>Webhook</source>
        <translation>Webhook</translation>
    </message>
    <message>
        <source>Webhook secret</source>
        <translation>Webhook-Geheimnis</translation>
    </message>
    <message>
        <source>Wed</source>
        <translation>Mi</translation>
    </message>
    <message>
        <source>Welcome to the training site</source>
        <translation>Willkommen in der Übungsumgebung</translation>
    </message>
    <message>
        <source>Welcome to this site</source>
        <translation>Willkommen an diesem Standort</translation>
    </message>
    <message>
        <source>Were the digits said? Tick them at the left.</source>
        <translation>Wurden die Ziffern gesagt? Links ankreuzen.</translation>
    </message>
    <message>
        <source>What a burn would touch</source>
        <translation>Auswirkung einer Sperrung</translation>
    </message>
    <message>
        <source>What a burn would touch, now</source>
        <translation>Was eine Sperrung träfe, jetzt</translation>
    </message>
    <message>
        <source>What a door decided is no entry of the audit log: nothing signed could be saved of it.</source>
        <translation>Was eine Tür entschied, ist kein Eintrag des Audit-Protokolls: Nichts Signiertes ließe sich davon speichern.</translation>
    </message>
    <message>
        <source>What a door decided is no entry of the audit log: nothing signs it.</source>
        <translation>Was eine Tür entschied, ist kein Eintrag des Audit-Protokolls: Nichts signiert es.</translation>
    </message>
    <message>
        <source>What a file says of its own past stands here.</source>
        <translation>Was eine Datei von ihrer Herkunft sagt, steht hier.</translation>
    </message>
    <message>
        <source>What a new site is tried with; each step is ticked by what the service knows.</source>
        <translation>Womit ein neuer Standort ausprobiert wird; jeder Schritt wird nach dem Wissen des Dienstes abgehakt.</translation>
    </message>
    <message>
        <source>What a terminal signs is believed by its public key. The keys are made in the terminal and stay there.</source>
        <translation>Was ein Terminal signiert, gilt aufgrund seines öffentlichen Schlüssels. Die Schlüssel entstehen im Terminal und bleiben dort.</translation>
    </message>
    <message>
        <source>What came of it</source>
        <translation>Was daraus wurde</translation>
    </message>
    <message>
        <source>What changed: {difference}. From now on signatures by the new policy count, and those by the old one alone do not. The old one stays in the console&apos;s files.</source>
        <translation>Was sich geändert hat: {difference}. Von jetzt an gelten Signaturen nach der neuen Richtlinie und solche allein nach der alten nicht mehr. Die alte bleibt in den Dateien der Konsole.</translation>
    </message>
    <message>
        <source>What each detector says</source>
        <translation>Was jeder Detektor sagt</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <source>What happened over a span of time, on paper for people, with the evidence beside it.</source>
        <translation>Was in einer Zeitspanne geschah, auf Papier für Menschen, mit den Beweisen daneben.</translation>
    </message>
    <message>
        <source>What happened to its notices, newest first</source>
        <translation>Was mit seinen Meldungen geschah, Neuestes zuerst</translation>
    </message>
    <message>
        <source>What happened to the person, newest first</source>
        <translation>Was mit der Person geschah, Neuestes zuerst</translation>
    </message>
    <message>
        <source>What happened, who and person are matched whole; the first field finds words anywhere in an entry.</source>
        <translation>Was geschah, wer und Person gelten als Ganzes; das erste Feld findet Wörter überall in einem Eintrag.</translation>
    </message>
    <message>
        <source>What is being scanned ends; nothing more is begun.</source>
        <translation>Was gerade geprüft wird, läuft zu Ende; nichts Neues wird begonnen.</translation>
    </message>
    <message>
        <source>What is being written now is finished first. </source>
        <translation>Was gerade geschrieben wird, wird zuerst fertiggestellt. </translation>
    </message>
    <message>
        <source>What is declared of it and its transport keys are gone. Cards and receipts stay. To take it out of use, retire it instead.</source>
        <translation>Seine Angaben und Transportschlüssel sind dann fort. Karten und Belege bleiben. Um es außer Gebrauch zu nehmen, mustern Sie es stattdessen aus.</translation>
    </message>
    <message>
        <source>What is kept, and what is not</source>
        <translation>Was gespeichert wird und was nicht</translation>
    </message>
    <message>
        <source>What is measured now is no entry of the audit log: its alarm is one as soon as it is raised.</source>
        <translation>Was jetzt gemessen wird, ist kein Eintrag des Audit-Protokolls: Sein Alarm ist einer, sobald er ausgelöst wird.</translation>
    </message>
    <message>
        <source>What is shown is not the content that the leaf commits to.</source>
        <translation>Das Gezeigte ist nicht der Inhalt, auf den sich das Blatt festlegt.</translation>
    </message>
    <message>
        <source>What is shown may be out of date until the service answers again.</source>
        <translation>Das Gezeigte kann veraltet sein, bis der Dienst wieder antwortet.</translation>
    </message>
    <message>
        <source>What is the matter with readers and cards</source>
        <translation>Was Lesegeräten und Karten fehlt</translation>
    </message>
    <message>
        <source>What is wrong with the file, by line</source>
        <translation>Was an der Datei falsch ist, nach Zeilen</translation>
    </message>
    <message>
        <source>What it did</source>
        <translation>Was sie tat</translation>
    </message>
    <message>
        <source>What it grants to {node_id} ends at {clusters}.</source>
        <translation>Was es {node_id} erlaubt, endet an {clusters}.</translation>
    </message>
    <message>
        <source>What it says</source>
        <translation>Was sie besagt</translation>
    </message>
    <message>
        <source>What it shows</source>
        <translation>Was es zeigt</translation>
    </message>
    <message>
        <source>What it signed when it took a bundle from a file: burns wait for that, or for the bundle&apos;s end.</source>
        <translation>Was es signierte, als es ein Paket aus einer Datei übernahm: Sperrungen warten darauf oder auf das Ende des Pakets.</translation>
    </message>
    <message>
        <source>What it signs is refused from that moment on. {alone}If it was stolen, renew its template registry, too: it had the registry&apos;s rotation. What it has decided stays in the audit log.</source>
        <translation>Was es signiert, wird von da an abgelehnt. {alone}Wurde es gestohlen, erneuern Sie auch sein Template-Register: Es hatte die Rotation des Registers. Was es entschieden hat, bleibt im Audit-Protokoll.</translation>
    </message>
    <message>
        <source>What it signs is refused from then on. A console registers itself again when it connects.</source>
        <translation>Was sie signiert, wird von da an abgelehnt. Eine Konsole registriert sich wieder, wenn sie sich verbindet.</translation>
    </message>
    <message>
        <source>What it would touch cannot be looked up. Tick the box if this id is to be denied as it is.</source>
        <translation>Was sie beträfe, lässt sich nicht nachsehen. Kreuzen Sie das Kästchen an, wenn diese ID so abgewiesen werden soll, wie sie ist.</translation>
    </message>
    <message>
        <source>What it wrote, in short</source>
        <translation>Was sie schrieb, in Kürze</translation>
    </message>
    <message>
        <source>What lifts UNVERIFIED: a live check within the 15 minutes before sealing. Give the person a card in Write card, or have palm or voice checked at a terminal; then seal the consent again. A seal that stands is never changed.</source>
        <translation>Was „Nicht verifiziert“ aufhebt: eine Live-Prüfung in den 15 Minuten vor dem Versiegeln. Geben Sie der Person unter „Karte schreiben“ eine Karte, oder lassen Sie Handfläche oder Stimme an einem Terminal prüfen; versiegeln Sie dann die Einwilligung erneut. Ein bestehendes Siegel wird nie geändert.</translation>
    </message>
    <message>
        <source>What proves it</source>
        <translation>Was es beweist</translation>
    </message>
    <message>
        <source>What scores are worth stands here once it was read.</source>
        <translation>Was die Werte bedeuten, steht hier, sobald es gelesen ist.</translation>
    </message>
    <message>
        <source>What ships with the console</source>
        <translation>Was mit der Konsole ausgeliefert wird</translation>
    </message>
    <message>
        <source>What shows the fraud</source>
        <translation>Was den Betrug zeigt</translation>
    </message>
    <message>
        <source>What stands in its fields is lost: drafts are not kept.</source>
        <translation>Was in seinen Feldern steht, geht verloren: Entwürfe werden nicht aufbewahrt.</translation>
    </message>
    <message>
        <source>What takes a second administrator</source>
        <translation>Was einen zweiten Administrator braucht</translation>
    </message>
    <message>
        <source>What the certificates say</source>
        <translation>Inhalt der Zertifikate</translation>
    </message>
    <message>
        <source>What the content shows, and why it breaks this law: 20 to 5,000 characters</source>
        <translation>Was der Inhalt zeigt und warum er gegen dieses Gesetz verstößt: 20 bis 5.000 Zeichen</translation>
    </message>
    <message>
        <source>What the living voice was judged by</source>
        <translation>Woran die lebende Stimme beurteilt wurde</translation>
    </message>
    <message>
        <source>What the maker set for the way: tried before the published factory values, kept sealed, never shown.</source>
        <translation>Vom Hersteller für den Transport gesetzt: vor den veröffentlichten Werkswerten versucht, versiegelt aufbewahrt, nie angezeigt.</translation>
    </message>
    <message>
        <source>What the p99 of a minute should stay under: charts draw it, tiles say whether it was kept.</source>
        <translation>Worunter das p99 einer Minute bleiben soll: Diagramme zeichnen es ein, Kacheln sagen, ob es gehalten wurde.</translation>
    </message>
    <message>
        <source>What the person agreed to becomes a leaf of the seal log. Witnesses cosign it; nobody can change it.</source>
        <translation>Wozu die Person eingewilligt hat, wird ein Blatt des Siegelprotokolls. Zeugen unterzeichnen es mit; niemand kann es ändern.</translation>
    </message>
    <message>
        <source>What the platform answered; it becomes a leaf of the audit log.</source>
        <translation>Was die Plattform antwortete; es wird ein Blatt des Audit-Protokolls.</translation>
    </message>
    <message>
        <source>What the receipt says</source>
        <translation>Inhalt des Belegs</translation>
    </message>
    <message>
        <source>What the service decides appears here: match, confidence, standing, knot.</source>
        <translation>Was der Dienst entscheidet, erscheint hier: Treffer, Konfidenz, Status, Knoten.</translation>
    </message>
    <message>
        <source>What the site signed when the card was finished. The file proves it to anybody who has the site&apos;s root; arc-console verify FILE checks it.</source>
        <translation>Was der Standort signierte, als die Karte fertig war. Die Datei beweist es jedem, der die Wurzel des Standorts hat; arc-console verify DATEI prüft sie.</translation>
    </message>
    <message>
        <source>What the terminal wrote, and nothing else: {form}.</source>
        <translation>Was das Terminal geschrieben hat, und sonst nichts: {form}.</translation>
    </message>
    <message>
        <source>What the witnesses say appears here.</source>
        <translation>Was die Zeugen sagen, erscheint hier.</translation>
    </message>
    <message>
        <source>What this batch is called</source>
        <translation>Name dieses Stapels</translation>
    </message>
    <message>
        <source>What this burn would touch cannot be looked up now.</source>
        <translation>Was diese Sperrung beträfe, lässt sich jetzt nicht nachsehen.</translation>
    </message>
    <message>
        <source>What this burn would touch is not shown to you.</source>
        <translation>Was diese Sperrung erreichen würde, wird hier nicht gezeigt.</translation>
    </message>
    <message>
        <source>What this law asks for</source>
        <translation>Was dieses Gesetz verlangt</translation>
    </message>
    <message>
        <source>What this window said since it was opened. The audit log has what was done.</source>
        <translation>Was dieses Fenster sagte, seit es offen ist. Was getan wurde, steht im Audit-Protokoll.</translation>
    </message>
    <message>
        <source>What was decided</source>
        <translation>Was wurde entschieden</translation>
    </message>
    <message>
        <source>What was decided, and how far it may be believed, appears here.</source>
        <translation>Was entschieden wurde und wie weit dem zu trauen ist, erscheint hier.</translation>
    </message>
    <message>
        <source>What was declared</source>
        <translation>Was erklärt wurde</translation>
    </message>
    <message>
        <source>What was done to each node</source>
        <translation>Was mit jeder Personen-ID geschah</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Was gefunden wurde</translation>
    </message>
    <message>
        <source>What was found so far stays.</source>
        <translation>Was bisher gefunden wurde, bleibt.</translation>
    </message>
    <message>
        <source>What was heard</source>
        <translation>Was zu hören war</translation>
    </message>
    <message>
        <source>What was saved before it is safe.</source>
        <translation>Was davor gespeichert wurde, ist sicher.</translation>
    </message>
    <message>
        <source>What was sent stays sent: tell those platforms yourself.</source>
        <translation>Was gesendet wurde, bleibt gesendet: Benachrichtigen Sie diese Plattformen selbst.</translation>
    </message>
    <message>
        <source>What was written on it</source>
        <translation>Was darauf geschrieben wurde</translation>
    </message>
    <message>
        <source>What you do about it (not required)</source>
        <translation>Was Sie dagegen tun (nicht nötig)</translation>
    </message>
    <message>
        <source>What {platform} answered to the {kind} {number}. It becomes a leaf of the audit log, with your key.</source>
        <translation>Was {platform} auf die {kind} {number} antwortete. Es wird ein Blatt des Audit-Protokolls, mit Ihrem Schlüssel.</translation>
    </message>
    <message>
        <source>When all is done, this page is the desk.</source>
        <translation>Wenn alles erledigt ist, ist diese Seite die Leitstelle.</translation>
    </message>
    <message>
        <source>When an employee is discharged, HR sends a signed call, and every node of theirs is burned within a second. Add the source with its secret, then send a signed test.</source>
        <translation>Tritt jemand aus, sendet das Personalsystem einen signierten Aufruf, und jede Personen-ID des Beschäftigten wird binnen einer Sekunde gesperrt. Fügen Sie die Quelle mit ihrem Geheimnis hinzu, und senden Sie dann einen signierten Test.</translation>
    </message>
    <message>
        <source>When the window is closed</source>
        <translation>Beim Schließen des Fensters</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Where calls go.</source>
        <translation>Wohin Aufrufe gehen.</translation>
    </message>
    <message>
        <source>Where it comes from</source>
        <translation>Woher sie stammt</translation>
    </message>
    <message>
        <source>Where it comes from, as the file says</source>
        <translation>Woher sie stammt, laut Datei</translation>
    </message>
    <message>
        <source>Where the original is</source>
        <translation>Wo das Original ist</translation>
    </message>
    <message>
        <source>Where the person was</source>
        <translation>Wo die Person war</translation>
    </message>
    <message>
        <source>Where the roster and the nodes differ</source>
        <translation>Wo Personalliste und Personen-IDs abweichen</translation>
    </message>
    <message>
        <source>Where, doors, cards, identity</source>
        <translation>Wo, Türen, Karten, Identität</translation>
    </message>
    <message>
        <source>Where, now</source>
        <translation>Wo, jetzt</translation>
    </message>
    <message>
        <source>Which card is lost</source>
        <translation>Welche Karte verloren ist</translation>
    </message>
    <message>
        <source>Which events</source>
        <translation>Welche Ereignisse</translation>
    </message>
    <message>
        <source>Which notice</source>
        <translation>Welche Meldung</translation>
    </message>
    <message>
        <source>Which targets are shown</source>
        <translation>Welche Ziele gezeigt werden</translation>
    </message>
    <message>
        <source>Who</source>
        <translation>Wer</translation>
    </message>
    <message>
        <source>Who acted ({count})</source>
        <translation>Wer handelte ({count})</translation>
    </message>
    <message>
        <source>Who agreed to what, until when. It becomes a leaf that nobody can change.</source>
        <translation>Wer wozu eingewilligt hat und bis wann. Es wird ein Blatt, das niemand ändern kann.</translation>
    </message>
    <message>
        <source>Who answers for the data</source>
        <translation>Wer für die Daten verantwortlich ist</translation>
    </message>
    <message>
        <source>Who answers for the data: 1 to 200 characters.</source>
        <translation>Wer für die Daten verantwortlich ist: 1 bis 200 Zeichen.</translation>
    </message>
    <message>
        <source>Who holds this card?</source>
        <translation>Wem gehört diese Karte?</translation>
    </message>
    <message>
        <source>Who is enrolled</source>
        <translation>Wer erfasst wird</translation>
    </message>
    <message>
        <source>Who made an operator alone, or changed how it signs in, never approves together with it. Once the site has had two administrators, an administrator is made and changed by two.</source>
        <translation>Wer einen Bediener allein anlegt oder dessen Anmeldung ändert, gibt nie gemeinsam mit ihm frei. Sobald der Standort zwei Administratoren hatte, wird ein Administrator zu zweit angelegt und geändert.</translation>
    </message>
    <message>
        <source>Whoever holds its secret can have people burned. Give each HR system one of its own.</source>
        <translation>Wer dieses Geheimnis hat, kann Personen sperren lassen. Geben Sie jedem Personalsystem ein eigenes.</translation>
    </message>
    <message>
        <source>Whom it is of is not said, nor how near it came. Why, only the audit log says.</source>
        <translation>Von wem es ist, wird nicht gesagt, und auch nicht, wie nahe es kam. Warum, sagt nur das Audit-Protokoll.</translation>
    </message>
    <message>
        <source>Whom to burn</source>
        <translation>Zu sperrende Person</translation>
    </message>
    <message>
        <source>Whose access ends?</source>
        <translation>Wessen Zugang endet?</translation>
    </message>
    <message>
        <source>Whose attestations the site believes: who ships with it, who is trusted, and another one.</source>
        <translation>Wessen Attestierungen der Standort glaubt: mitgelieferte, zugelassene und weitere Hersteller.</translation>
    </message>
    <message>
        <source>Whose badge</source>
        <translation>Wessen Ausweis</translation>
    </message>
    <message>
        <source>Whose palm</source>
        <translation>Wessen Handfläche</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Why it is illegal</source>
        <translation>Warum es rechtswidrig ist</translation>
    </message>
    <message>
        <source>Why this target is given up without proof</source>
        <translation>Warum dieses Ziel ohne Beweis aufgegeben wird</translation>
    </message>
    <message>
        <source>With a reason. Its alarm ends.</source>
        <translation>Mit Begründung. Der zugehörige Alarm endet.</translation>
    </message>
    <message>
        <source>With a secret key of its own.</source>
        <translation>Mit einem eigenen geheimen Schlüssel.</translation>
    </message>
    <message>
        <source>With a target that is not proven</source>
        <translation>Mit unbewiesenem Ziel</translation>
    </message>
    <message>
        <source>With everybody in the registry, or with the person who is claimed. Once: a copy is an alarm.</source>
        <translation>Mit allen im Register oder mit der behaupteten Person. Einmal: Eine Kopie ist ein Alarm.</translation>
    </message>
    <message>
        <source>With its cause, which is told nowhere else.</source>
        <translation>Mit ihrem Grund, der sonst nirgends steht.</translation>
    </message>
    <message>
        <source>With the cause of each refusal, which is told nowhere else.</source>
        <translation>Mit dem Grund jeder Ablehnung, der sonst nirgends steht.</translation>
    </message>
    <message>
        <source>With the newest model; a result is never changed.</source>
        <translation>Mit dem neuesten Modell; ein Ergebnis wird nie geändert.</translation>
    </message>
    <message>
        <source>Withdraw</source>
        <translation>Zurückziehen</translation>
    </message>
    <message>
        <source>Withdraw a consent</source>
        <translation>Einwilligung zurückziehen</translation>
    </message>
    <message>
        <source>Withdraw it</source>
        <translation>Zurückziehen</translation>
    </message>
    <message>
        <source>Withdraw the consent</source>
        <translation>Einwilligung zurückziehen</translation>
    </message>
    <message>
        <source>Withdraw the consent?</source>
        <translation>Einwilligung zurückziehen?</translation>
    </message>
    <message>
        <source>Withdraw the strike</source>
        <translation>Vorgang zurückziehen</translation>
    </message>
    <message>
        <source>Withdraw {token}</source>
        <translation>{token} zurückziehen</translation>
    </message>
    <message>
        <source>Withdraw {token}?</source>
        <translation>{token} zurückziehen?</translation>
    </message>
    <message>
        <source>Withdrawn</source>
        <translation>Zurückgezogen</translation>
    </message>
    <message>
        <source>Within 24 hours. {said}</source>
        <translation>Innerhalb von 24 Stunden. {said}</translation>
    </message>
    <message>
        <source>Within the goal of {goal:g} ms</source>
        <translation>Innerhalb des Ziels von {goal:g} ms</translation>
    </message>
    <message>
        <source>Without a card: {persons}</source>
        <translation>Ohne Karte: {persons}</translation>
    </message>
    <message>
        <source>Without a card: {persons} and {count} more</source>
        <translation>Ohne Karte: {persons} und {count} weitere</translation>
    </message>
    <message>
        <source>Without a line it may go on letting people in until {until}: switch it off. </source>
        <translation>Ohne Leitung lässt es womöglich noch bis {until} Personen ein: Schalten Sie es aus. </translation>
    </message>
    <message>
        <source>Without a sample in this span: {frames}.</source>
        <translation>Ohne Messung in diesem Zeitraum: {frames}.</translation>
    </message>
    <message>
        <source>Without employee</source>
        <translation>Ohne Personalnummer</translation>
    </message>
    <message>
        <source>Without it takedown notices wait for your release. With it the work and the attestation are asked for.</source>
        <translation>Ohne dies warten Löschaufforderungen auf Ihre Freigabe. Damit werden das Werk und die Attestierung verlangt.</translation>
    </message>
    <message>
        <source>Without proof</source>
        <translation>Ohne Beweis</translation>
    </message>
    <message>
        <source>Witnesses</source>
        <translation>Zeugen</translation>
    </message>
    <message>
        <source>Witnesses and heads</source>
        <translation>Zeugen und Baumköpfe</translation>
    </message>
    <message>
        <source>Witnesses cosigned it</source>
        <translation>Zeugen haben mitgezeichnet</translation>
    </message>
    <message>
        <source>Witnesses of the logs</source>
        <translation>Zeugen der Protokolle</translation>
    </message>
    <message>
        <source>Words anywhere   /</source>
        <translation>Wörter überall   /</translation>
    </message>
    <message>
        <source>Words for an appeal or a second notice</source>
        <translation>Text für einen Einspruch oder eine zweite Meldung</translation>
    </message>
    <message>
        <source>Words in action, actor, node or detail</source>
        <translation>Wörter in Aktion, Akteur, Personen-ID oder Einzelheiten</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Werk</translation>
    </message>
    <message>
        <source>Workday, head office</source>
        <translation>Workday, Zentrale</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>Arbeitet</translation>
    </message>
    <message>
        <source>Working out the template</source>
        <translation>Template wird berechnet</translation>
    </message>
    <message>
        <source>Would be held until a person releases it</source>
        <translation>Würde zurückgehalten, bis eine Person freigibt</translation>
    </message>
    <message>
        <source>Would be held: {count} missing</source>
        <translation>Würde zurückgehalten, fehlende Angaben: {count}</translation>
    </message>
    <message>
        <source>Would fail</source>
        <translation>Würde scheitern</translation>
    </message>
    <message>
        <source>Would leave at once</source>
        <translation>Ginge sofort hinaus</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Write a card</source>
        <translation>Eine Karte schreiben</translation>
    </message>
    <message>
        <source>Write a card and grant access: its profile appears here, and can be given to other clusters.</source>
        <translation>Schreiben Sie eine Karte und geben Sie Zugang: Das Profil dazu erscheint hier und lässt sich an weitere Türgruppen geben.</translation>
    </message>
    <message>
        <source>Write a card for the person</source>
        <translation>Karte für die Person schreiben</translation>
    </message>
    <message>
        <source>Write both times as 2026-01-31 14:32:07, or as 14:32 for one of today.</source>
        <translation>Schreiben Sie beide Zeiten wie 2026-01-31 14:32:07, oder wie 14:32 für heute.</translation>
    </message>
    <message>
        <source>Write capabilities</source>
        <translation>Fähigkeiten schreiben</translation>
    </message>
    <message>
        <source>Write card</source>
        <translation>Karte schreiben</translation>
    </message>
    <message>
        <source>Write card for {person}</source>
        <translation>Karte schreiben für {person}</translation>
    </message>
    <message>
        <source>Write goes on where {uid} was torn.</source>
        <translation>„Karte schreiben“ macht weiter, wo {uid} abgebrochen ist.</translation>
    </message>
    <message>
        <source>Write makes the keys on card {uid} for {person}.</source>
        <translation>„Karte schreiben“ erzeugt die Schlüssel auf Karte {uid} für {person}.</translation>
    </message>
    <message>
        <source>Write printed data</source>
        <translation>Aufdruckdaten schreiben</translation>
    </message>
    <message>
        <source>Write takes this card from {holder} and makes it for {person}.</source>
        <translation>„Karte schreiben“ entzieht {holder} diese Karte und schreibt sie für {person}.</translation>
    </message>
    <message>
        <source>Write the CHUID</source>
        <translation>CHUID schreiben</translation>
    </message>
    <message>
        <source>Write your first card</source>
        <translation>Erste Karte schreiben</translation>
    </message>
    <message>
        <source>Writes the entries of this filter, all of them, as JSON or CSV.</source>
        <translation>Schreibt alle Einträge dieses Filters als JSON oder CSV.</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Schreibt</translation>
    </message>
    <message>
        <source>Writing for {person}</source>
        <translation>Schreiben für {person}</translation>
    </message>
    <message>
        <source>Writing, leave the card in {reader}</source>
        <translation>Es wird geschrieben: Lassen Sie die Karte in {reader}</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>Written and proven</source>
        <translation>Geschrieben und bewiesen</translation>
    </message>
    <message>
        <source>Written and proven for {person}</source>
        <translation>Geschrieben und bewiesen für {person}</translation>
    </message>
    <message>
        <source>Written and proven in {span}</source>
        <translation>Geschrieben und bewiesen in {span}</translation>
    </message>
    <message>
        <source>Written before</source>
        <translation>Schon geschrieben</translation>
    </message>
    <message>
        <source>Written down once a minute.</source>
        <translation>Wird einmal je Minute vermerkt.</translation>
    </message>
    <message>
        <source>Written for</source>
        <translation>Geschrieben für</translation>
    </message>
    <message>
        <source>Written for a person.</source>
        <translation>Für eine Person geschrieben.</translation>
    </message>
    <message>
        <source>Written, proven</source>
        <translation>Geschrieben, bewiesen</translation>
    </message>
    <message>
        <source>Wrong signature</source>
        <translation>Falsche Signatur</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>You asked for it: it waits for another operator, of another node and another line.</source>
        <translation>Sie haben es beantragt: Es wartet auf einen anderen Bediener, der eine andere Person ist und zu einer anderen Linie gehört.</translation>
    </message>
    <message>
        <source>You may close this page and go back to the console.</source>
        <translation>Sie können diese Seite schließen und zur Konsole zurückkehren.</translation>
    </message>
    <message>
        <source>You own it from now on; every console says so.</source>
        <translation>Ab jetzt sind Sie zuständig; jede Konsole sagt es.</translation>
    </message>
    <message>
        <source>Your name, typed under the attestation</source>
        <translation>Ihr Name, eingetippt unter der Attestierung</translation>
    </message>
    <message>
        <source>YubiKey 5 FIPS</source>
        <translation>YubiKey 5 FIPS</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>Zoomen</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Herauszoomen</translation>
    </message>
    <message>
        <source>Zoom out	Backspace</source>
        <translation>Herauszoomen	Rücktaste</translation>
    </message>
    <message>
        <source>a badge&apos;s photo</source>
        <translation>ein Ausweisfoto</translation>
    </message>
    <message>
        <source>a batch</source>
        <translation>ein Stapel</translation>
    </message>
    <message>
        <source>a burn is only delivered there: its effect cannot be read</source>
        <translation>eine Sperrung wird dort nur zugestellt: Ihre Wirkung ist nicht lesbar</translation>
    </message>
    <message>
        <source>a burn, a target is not proven yet</source>
        <translation>Sperrung, ein Ziel ist noch nicht bewiesen</translation>
    </message>
    <message>
        <source>a burn, every target proven</source>
        <translation>Sperrung, jedes Ziel bewiesen</translation>
    </message>
    <message>
        <source>a burn, {count} targets without a proof</source>
        <translation>Sperrung, {count} Ziele ohne Beweis</translation>
    </message>
    <message>
        <source>a card</source>
        <translation>eine Karte</translation>
    </message>
    <message>
        <source>a console</source>
        <translation>eine Konsole</translation>
    </message>
    <message>
        <source>a decision</source>
        <translation>eine Entscheidung</translation>
    </message>
    <message>
        <source>a drill, every target proven</source>
        <translation>Übung, jedes Ziel bewiesen</translation>
    </message>
    <message>
        <source>a line break</source>
        <translation>ein Zeilenumbruch</translation>
    </message>
    <message>
        <source>a live check</source>
        <translation>eine Live-Prüfung</translation>
    </message>
    <message>
        <source>a palm</source>
        <translation>eine Handfläche</translation>
    </message>
    <message>
        <source>a reader</source>
        <translation>einem Lesegerät</translation>
    </message>
    <message>
        <source>a space</source>
        <translation>ein Leerzeichen</translation>
    </message>
    <message>
        <source>a stylized template</source>
        <translation>ein stilisiertes Template</translation>
    </message>
    <message>
        <source>a tab</source>
        <translation>ein Tabulatorzeichen</translation>
    </message>
    <message>
        <source>a voice</source>
        <translation>eine Stimme</translation>
    </message>
    <message>
        <source>about </source>
        <translation>etwa </translation>
    </message>
    <message>
        <source>about {minutes} min</source>
        <translation>etwa {minutes} min</translation>
    </message>
    <message>
        <source>about {span} left</source>
        <translation>noch etwa {span}</translation>
    </message>
    <message>
        <source>above the middle</source>
        <translation>über der Mitte</translation>
    </message>
    <message>
        <source>actioned</source>
        <translation>umgesetzt</translation>
    </message>
    <message>
        <source>add what it lacks</source>
        <translation>Fehlendes ergänzen</translation>
    </message>
    <message>
        <source>admin</source>
        <comment>role</comment>
        <translation>Administration</translation>
    </message>
    <message>
        <source>alarm</source>
        <translation>Alarm</translation>
    </message>
    <message>
        <source>alarms</source>
        <translation>Alarme</translation>
    </message>
    <message>
        <source>all frames</source>
        <translation>alle Frames</translation>
    </message>
    <message>
        <source>all of its values are zero.</source>
        <translation>Alle seine Werte sind null.</translation>
    </message>
    <message>
        <source>all online</source>
        <translation>alle online</translation>
    </message>
    <message>
        <source>all together</source>
        <translation>alles zusammen</translation>
    </message>
    <message>
        <source>alone</source>
        <translation>allein</translation>
    </message>
    <message>
        <source>an operator</source>
        <translation>Bediener</translation>
    </message>
    <message>
        <source>an unknown way</source>
        <translation>einen unbekannten Weg</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>und {count} weitere</translation>
    </message>
    <message>
        <source>and {count} more frames, none of them with a larger p99</source>
        <translation>und {count} weitere Frames, keines mit größerem p99</translation>
    </message>
    <message>
        <source>and {count} more, who acted less</source>
        <translation>und {count} weitere, die weniger handelten</translation>
    </message>
    <message>
        <source>and {count} more: {rest}</source>
        <translation>und {count} weitere: {rest}</translation>
    </message>
    <message>
        <source>and {count} older ones, which are in the audit log</source>
        <translation>und {count} ältere, die im Audit-Protokoll stehen</translation>
    </message>
    <message>
        <source>another Citadel key</source>
        <translation>einen anderen Citadel-Schlüssel</translation>
    </message>
    <message>
        <source>another maker</source>
        <translation>ein weiterer Hersteller</translation>
    </message>
    <message>
        <source>another person</source>
        <translation>eine andere Person</translation>
    </message>
    <message>
        <source>approve or reject it</source>
        <translation>freigeben oder ablehnen</translation>
    </message>
    <message>
        <source>arc_cit_… or arc_sov_…</source>
        <translation>arc_cit_… oder arc_sov_…</translation>
    </message>
    <message>
        <source>are revoked</source>
        <translation>werden widerrufen</translation>
    </message>
    <message>
        <source>as it was sent</source>
        <translation>wie gesendet</translation>
    </message>
    <message>
        <source>as of {date}, review due {due}</source>
        <translation>Stand {date}, Überprüfung fällig {due}</translation>
    </message>
    <message>
        <source>as of {time}</source>
        <translation>Stand {time}</translation>
    </message>
    <message>
        <source>as the rest</source>
        <translation>wie der Rest</translation>
    </message>
    <message>
        <source>asked again after {hours} h</source>
        <translation>Nachfrage nach {hours} h</translation>
    </message>
    <message>
        <source>asked again in {span}</source>
        <translation>Nachfrage in {span}</translation>
    </message>
    <message>
        <source>asking</source>
        <translation>wird gefragt</translation>
    </message>
    <message>
        <source>attested</source>
        <translation>attestiert</translation>
    </message>
    <message>
        <source>audit leaf {index}, {sha256}</source>
        <translation>Audit-Blatt {index}, {sha256}</translation>
    </message>
    <message>
        <source>auditor</source>
        <comment>role</comment>
        <translation>Revision</translation>
    </message>
    <message>
        <source>authentication failed</source>
        <translation>Authentisierung fehlgeschlagen</translation>
    </message>
    <message>
        <source>back in stock</source>
        <translation>wieder im Bestand</translation>
    </message>
    <message>
        <source>badge</source>
        <comment>role</comment>
        <translation>Ausweisstelle</translation>
    </message>
    <message>
        <source>bar: middle 95 % of living voices</source>
        <translation>Balken: mittlere 95 % lebender Stimmen</translation>
    </message>
    <message>
        <source>because of {standing}</source>
        <translation>wegen Status „{standing}“</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vorher</translation>
    </message>
    <message>
        <source>before the span</source>
        <translation>vor dem Zeitraum</translation>
    </message>
    <message>
        <source>before: {decisions}</source>
        <translation>vorher: {decisions}</translation>
    </message>
    <message>
        <source>below the middle</source>
        <translation>unter der Mitte</translation>
    </message>
    <message>
        <source>block borders</source>
        <translation>Blockränder</translation>
    </message>
    <message>
        <source>blocked</source>
        <translation>blockiert</translation>
    </message>
    <message>
        <source>broken</source>
        <translation>ungültig</translation>
    </message>
    <message>
        <source>burn</source>
        <translation>Sperrung</translation>
    </message>
    <message>
        <source>burned</source>
        <translation>gesperrt</translation>
    </message>
    <message>
        <source>burns</source>
        <translation>Sperrungen</translation>
    </message>
    <message>
        <source>by the log {origin}</source>
        <translation>vom Protokoll {origin}</translation>
    </message>
    <message>
        <source>by {person}</source>
        <translation>von {person}</translation>
    </message>
    <message>
        <source>by {reader}</source>
        <translation>von {reader}</translation>
    </message>
    <message>
        <source>call</source>
        <translation>Aufruf</translation>
    </message>
    <message>
        <source>call p99</source>
        <translation>Aufruf p99</translation>
    </message>
    <message>
        <source>calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>cannot be looked up now</source>
        <translation>jetzt nicht nachschlagbar</translation>
    </message>
    <message>
        <source>card</source>
        <comment>sign-in</comment>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>card</source>
        <translation>Karte</translation>
    </message>
    <message>
        <source>card {card}</source>
        <translation>Karte {card}</translation>
    </message>
    <message>
        <source>card {guid}</source>
        <translation>Karte {guid}</translation>
    </message>
    <message>
        <source>chaining not supported</source>
        <translation>Verkettung nicht unterstützt</translation>
    </message>
    <message>
        <source>checked {time}</source>
        <translation>geprüft {time}</translation>
    </message>
    <message>
        <source>class not supported</source>
        <translation>Klasse nicht unterstützt</translation>
    </message>
    <message>
        <source>code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>coherence {coherence:.2f}</source>
        <translation>Kohärenz {coherence:.2f}</translation>
    </message>
    <message>
        <source>colour filter</source>
        <translation>Farbfilter</translation>
    </message>
    <message>
        <source>command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <source>command not allowed</source>
        <translation>Befehl nicht erlaubt</translation>
    </message>
    <message>
        <source>compressed as JPEG</source>
        <translation>als JPEG komprimiert</translation>
    </message>
    <message>
        <source>compressed as JPEG twice</source>
        <translation>zweimal als JPEG komprimiert</translation>
    </message>
    <message>
        <source>conditions not satisfied</source>
        <translation>Bedingungen nicht erfüllt</translation>
    </message>
    <message>
        <source>connecting</source>
        <translation>verbindet</translation>
    </message>
    <message>
        <source>contactless UID</source>
        <translation>kontaktlose UID</translation>
    </message>
    <message>
        <source>contained</source>
        <translation>festgesetzt</translation>
    </message>
    <message>
        <source>copied places</source>
        <translation>kopierte Stellen</translation>
    </message>
    <message>
        <source>copyrighted work</source>
        <translation>urheberrechtlich geschütztes Werk</translation>
    </message>
    <message>
        <source>credential profiles</source>
        <translation>Berechtigungsprofile</translation>
    </message>
    <message>
        <source>days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>decide</source>
        <translation>entscheiden</translation>
    </message>
    <message>
        <source>decided in under 0.1 ms</source>
        <translation>entschieden in unter 0,1 ms</translation>
    </message>
    <message>
        <source>decided in {ms:.1f} ms</source>
        <translation>entschieden in {ms:.1f} ms</translation>
    </message>
    <message>
        <source>declaration</source>
        <translation>Erklärung</translation>
    </message>
    <message>
        <source>declared</source>
        <translation>angegeben</translation>
    </message>
    <message>
        <source>declared by</source>
        <translation>wer erklärt</translation>
    </message>
    <message>
        <source>default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>degraded</source>
        <translation>beeinträchtigt</translation>
    </message>
    <message>
        <source>demoted</source>
        <translation>herabgestuft</translation>
    </message>
    <message>
        <source>denied after {us:.0f} µs, epoch {epoch}</source>
        <translation>abgewiesen nach {us:.0f} µs, Epoche {epoch}</translation>
    </message>
    <message>
        <source>desk</source>
        <comment>role</comment>
        <translation>Leitstelle</translation>
    </message>
    <message>
        <source>device reported</source>
        <translation>vom Gerät gemeldet</translation>
    </message>
    <message>
        <source>diagnostics</source>
        <translation>Diagnose</translation>
    </message>
    <message>
        <source>did not {witness}</source>
        <translation>nicht: {witness}</translation>
    </message>
    <message>
        <source>different</source>
        <translation>abweichend</translation>
    </message>
    <message>
        <source>directories</source>
        <translation>Verzeichnisse</translation>
    </message>
    <message>
        <source>directory</source>
        <translation>Verzeichnis</translation>
    </message>
    <message>
        <source>disabled</source>
        <translation>deaktiviert</translation>
    </message>
    <message>
        <source>done</source>
        <translation>erledigt</translation>
    </message>
    <message>
        <source>door refuses</source>
        <translation>Tür weist ab</translation>
    </message>
    <message>
        <source>doors refuse</source>
        <translation>Türen weisen ab</translation>
    </message>
    <message>
        <source>double compression</source>
        <translation>doppelte Kompression</translation>
    </message>
    <message>
        <source>e-mail</source>
        <translation>E-Mail</translation>
    </message>
    <message>
        <source>each read back</source>
        <translation>jedes zurückgelesen</translation>
    </message>
    <message>
        <source>employee {id}</source>
        <translation>Personalnummer {id}</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>beendet</translation>
    </message>
    <message>
        <source>ended by itself</source>
        <translation>endete von selbst</translation>
    </message>
    <message>
        <source>ended {days:.0f} days ago</source>
        <translation>vor {days:.0f} Tagen abgelaufen</translation>
    </message>
    <message>
        <source>ended {time}</source>
        <translation>beendet {time}</translation>
    </message>
    <message>
        <source>enrolment</source>
        <translation>Erfassung</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>entry</source>
        <translation>Eintrag</translation>
    </message>
    <message>
        <source>entry {index} of {size}, path of {steps} steps</source>
        <translation>Eintrag {index} von {size}, Pfad von {steps} Schritten</translation>
    </message>
    <message>
        <source>epoch {epoch}</source>
        <translation>Epoche {epoch}</translation>
    </message>
    <message>
        <source>epochs {first} to {last}</source>
        <translation>Epochen {first} bis {last}</translation>
    </message>
    <message>
        <source>error level</source>
        <translation>Fehlerniveau</translation>
    </message>
    <message>
        <source>event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>events before {time} unknown</source>
        <translation>Ereignisse vor {time} unbekannt</translation>
    </message>
    <message>
        <source>events being read</source>
        <translation>Ereignisse werden gelesen</translation>
    </message>
    <message>
        <source>events since {time} unknown</source>
        <translation>Ereignisse seit {time} unbekannt</translation>
    </message>
    <message>
        <source>events unknown</source>
        <translation>Ereignisse unbekannt</translation>
    </message>
    <message>
        <source>events {events}</source>
        <translation>Ereignisse {events}</translation>
    </message>
    <message>
        <source>every action, with its key</source>
        <translation>jede Aktion mit ihrer Taste</translation>
    </message>
    <message>
        <source>every door answers</source>
        <translation>jede Tür antwortet</translation>
    </message>
    <message>
        <source>every frame answers</source>
        <translation>jedes Frame antwortet</translation>
    </message>
    <message>
        <source>every maker that was added here</source>
        <translation>alle hier hinzugefügten Hersteller</translation>
    </message>
    <message>
        <source>every other</source>
        <translation>jede andere</translation>
    </message>
    <message>
        <source>every target, and what stays open, stands on Burn</source>
        <translation>jedes Ziel und was offen bleibt, steht unter „Sperren“</translation>
    </message>
    <message>
        <source>everybody in {registry}, epoch {epoch}</source>
        <translation>allen in {registry}, Epoche {epoch}</translation>
    </message>
    <message>
        <source>exact addresses</source>
        <translation>genaue Adressen</translation>
    </message>
    <message>
        <source>exact length is {count}</source>
        <translation>genaue Länge ist {count}</translation>
    </message>
    <message>
        <source>expected {seconds} s</source>
        <translation>erwartet {seconds} s</translation>
    </message>
    <message>
        <source>expired</source>
        <translation>abgelaufen</translation>
    </message>
    <message>
        <source>face {tag}, {where}</source>
        <translation>Gesicht {tag}, {where}</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>false alarms</source>
        <translation>Fehlalarme</translation>
    </message>
    <message>
        <source>feeds</source>
        <translation>Feeds</translation>
    </message>
    <message>
        <source>fell to {share:.0%}</source>
        <translation>fiel auf {share:.0%}</translation>
    </message>
    <message>
        <source>filtered as a whole</source>
        <translation>als Ganzes gefiltert</translation>
    </message>
    <message>
        <source>first {first}, middle {middle}, last {last}, each read back</source>
        <translation>erstes {first}, mittleres {middle}, letztes {last}, jedes zurückgelesen</translation>
    </message>
    <message>
        <source>folded</source>
        <translation>eingeklappt</translation>
    </message>
    <message>
        <source>for 1 day</source>
        <translation>für 1 Tag</translation>
    </message>
    <message>
        <source>for 1 hour</source>
        <translation>für 1 Stunde</translation>
    </message>
    <message>
        <source>for 7 days</source>
        <translation>für 7 Tage</translation>
    </message>
    <message>
        <source>for 8 hours</source>
        <translation>für 8 Stunden</translation>
    </message>
    <message>
        <source>for {age}</source>
        <translation>seit {age}</translation>
    </message>
    <message>
        <source>for {person}</source>
        <translation>für {person}</translation>
    </message>
    <message>
        <source>for {url}</source>
        <translation>für {url}</translation>
    </message>
    <message>
        <source>form</source>
        <translation>Formular</translation>
    </message>
    <message>
        <source>frame</source>
        <comment>server</comment>
        <translation>Frame</translation>
    </message>
    <message>
        <source>frame</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>frames</source>
        <comment>server</comment>
        <translation>Frames</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>Frames</translation>
    </message>
    <message>
        <source>frames that answered</source>
        <translation>Frames, die antworteten</translation>
    </message>
    <message>
        <source>frames were dropped: they came faster than they are scanned</source>
        <translation>Bilder wurden verworfen: Sie kamen schneller, als sie geprüft werden</translation>
    </message>
    <message>
        <source>from the call to the proof</source>
        <translation>vom Aufruf bis zum Beweis</translation>
    </message>
    <message>
        <source>function not supported</source>
        <translation>Funktion nicht unterstützt</translation>
    </message>
    <message>
        <source>goal {goal:g} {unit}</source>
        <translation>Ziel {goal:g} {unit}</translation>
    </message>
    <message>
        <source>goes out</source>
        <translation>geht hinaus</translation>
    </message>
    <message>
        <source>gone: {keys}</source>
        <translation>weggefallen: {keys}</translation>
    </message>
    <message>
        <source>grant</source>
        <translation>Berechtigung</translation>
    </message>
    <message>
        <source>grant has run out</source>
        <translation>Berechtigung abgelaufen</translation>
    </message>
    <message>
        <source>granted</source>
        <translation>zugelassen</translation>
    </message>
    <message>
        <source>grew {much}</source>
        <translation>stieg {much}</translation>
    </message>
    <message>
        <source>grew {times} times</source>
        <translation>wuchs auf das {times}-Fache</translation>
    </message>
    <message>
        <source>half written {time}</source>
        <translation>halb geschrieben {time}</translation>
    </message>
    <message>
        <source>hardware_uid has more than 200 characters.</source>
        <translation>hardware_uid hat mehr als 200 Zeichen.</translation>
    </message>
    <message>
        <source>hardware_uid is rounded: format it as text.</source>
        <translation>hardware_uid ist gerundet: als Text formatieren.</translation>
    </message>
    <message>
        <source>has its outcome</source>
        <translation>hat ein Ergebnis</translation>
    </message>
    <message>
        <source>has no key</source>
        <translation>ohne Schlüssel</translation>
    </message>
    <message>
        <source>head of {size}</source>
        <translation>Kopf über {size}</translation>
    </message>
    <message>
        <source>highest of the frames, {step}</source>
        <translation>Höchstwert der Frames, {step}</translation>
    </message>
    <message>
        <source>holder</source>
        <translation>Inhaber</translation>
    </message>
    <message>
        <source>holds, and its signer is trusted</source>
        <translation>gültig, und dem Unterzeichner wird vertraut</translation>
    </message>
    <message>
        <source>holds, signed by nobody this site trusts</source>
        <translation>gültig, signiert von niemandem, dem dieser Standort vertraut</translation>
    </message>
    <message>
        <source>identified</source>
        <translation>erkannt</translation>
    </message>
    <message>
        <source>identity burned</source>
        <translation>Identität gesperrt</translation>
    </message>
    <message>
        <source>identity contained</source>
        <translation>Identität festgesetzt</translation>
    </message>
    <message>
        <source>ignored</source>
        <comment>discharge</comment>
        <translation>nicht beachtet</translation>
    </message>
    <message>
        <source>impersonation</source>
        <translation>Identitätstäuschung</translation>
    </message>
    <message>
        <source>in stock</source>
        <translation>im Bestand</translation>
    </message>
    <message>
        <source>in the capacity of</source>
        <translation>in welcher Eigenschaft</translation>
    </message>
    <message>
        <source>in the middle</source>
        <translation>in der Mitte</translation>
    </message>
    <message>
        <source>in time</source>
        <translation>fristgerecht</translation>
    </message>
    <message>
        <source>in {reader}</source>
        <translation>in {reader}</translation>
    </message>
    <message>
        <source>in_stock, quarantined, issued or retired; or nothing: then it stays as it is.</source>
        <translation>in_stock, quarantined, issued oder retired; oder nichts: Dann bleibt er, wie er ist.</translation>
    </message>
    <message>
        <source>instruction not supported</source>
        <translation>Instruktion nicht unterstützt</translation>
    </message>
    <message>
        <source>is sent; its clock runs</source>
        <translation>ist gesendet; die Uhr läuft</translation>
    </message>
    <message>
        <source>issued</source>
        <comment>element</comment>
        <translation>ausgestellt</translation>
    </message>
    <message>
        <source>it ended with {code}.</source>
        <translation>es endete mit {code}.</translation>
    </message>
    <message>
        <source>it is a document of another kind</source>
        <translation>sie ist ein Dokument anderer Art</translation>
    </message>
    <message>
        <source>it is no file</source>
        <translation>es ist keine Datei</translation>
    </message>
    <message>
        <source>it is of another version</source>
        <translation>sie hat eine andere Version</translation>
    </message>
    <message>
        <source>it names the profile {profile}</source>
        <translation>sie nennt das Profil {profile}</translation>
    </message>
    <message>
        <source>it was {action}</source>
        <translation>Ergebnis: {action}</translation>
    </message>
    <message>
        <source>its Citadel key</source>
        <translation>sein Citadel-Schlüssel</translation>
    </message>
    <message>
        <source>its certificate has a key of another kind</source>
        <translation>ihr Zertifikat hat einen Schlüssel anderer Art</translation>
    </message>
    <message>
        <source>its number</source>
        <translation>seine Nummer</translation>
    </message>
    <message>
        <source>jpeg ghosts</source>
        <translation>JPEG-Geister</translation>
    </message>
    <message>
        <source>jpeg grid</source>
        <translation>JPEG-Raster</translation>
    </message>
    <message>
        <source>kurtosis {kurtosis:.1f}</source>
        <translation>Kurtosis {kurtosis:.1f}</translation>
    </message>
    <message>
        <source>labelled</source>
        <translation>gekennzeichnet</translation>
    </message>
    <message>
        <source>last command of the chain expected</source>
        <translation>letzter Befehl der Kette erwartet</translation>
    </message>
    <message>
        <source>last door in about {seconds:.2f} s</source>
        <translation>letzte Tür in etwa {seconds:.2f} s</translation>
    </message>
    <message>
        <source>last door of a burn</source>
        <translation>letzte Tür einer Sperrung</translation>
    </message>
    <message>
        <source>last live check {time}</source>
        <translation>letzte Live-Prüfung {time}</translation>
    </message>
    <message>
        <source>law</source>
        <translation>Gesetz</translation>
    </message>
    <message>
        <source>leaf {index}</source>
        <translation>Blatt {index}</translation>
    </message>
    <message>
        <source>leaf {seqs}</source>
        <translation>Blatt {seqs}</translation>
    </message>
    <message>
        <source>leaves {seqs}</source>
        <translation>Blätter {seqs}</translation>
    </message>
    <message>
        <source>left as it was</source>
        <translation>unverändert belassen</translation>
    </message>
    <message>
        <source>left of the middle</source>
        <translation>links der Mitte</translation>
    </message>
    <message>
        <source>left to an operator</source>
        <translation>einem Bediener überlassen</translation>
    </message>
    <message>
        <source>less than 0.01 %</source>
        <translation>weniger als 0,01 %</translation>
    </message>
    <message>
        <source>less than 1 min</source>
        <translation>weniger als 1 min</translation>
    </message>
    <message>
        <source>let in {age} ago</source>
        <translation>vor {age} eingelassen</translation>
    </message>
    <message>
        <source>let in {time}, {age} ago; doors do not tell who leaves</source>
        <translation>eingelassen {time}, vor {age}; Türen melden nicht, wer geht</translation>
    </message>
    <message>
        <source>licences</source>
        <translation>Lizenzen</translation>
    </message>
    <message>
        <source>lifted</source>
        <translation>aufgehoben</translation>
    </message>
    <message>
        <source>likeness {quality} of 100 or more (below {least} a sample is not used)</source>
        <translation>Ähnlichkeit mindestens {quality} von 100 (unter {least} wird eine Probe nicht verwendet)</translation>
    </message>
    <message>
        <source>live</source>
        <translation>live</translation>
    </message>
    <message>
        <source>live, now</source>
        <translation>live, jetzt</translation>
    </message>
    <message>
        <source>local</source>
        <translation>lokal</translation>
    </message>
    <message>
        <source>logical channel not supported</source>
        <translation>logischer Kanal nicht unterstützt</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>verloren</translation>
    </message>
    <message>
        <source>lower left</source>
        <translation>unten links</translation>
    </message>
    <message>
        <source>lower right</source>
        <translation>unten rechts</translation>
    </message>
    <message>
        <source>mail</source>
        <translation>E-Mail</translation>
    </message>
    <message>
        <source>maintenance</source>
        <translation>in Wartung</translation>
    </message>
    <message>
        <source>manager</source>
        <comment>role</comment>
        <translation>Leitung</translation>
    </message>
    <message>
        <source>marked on this console</source>
        <translation>vermerkt auf dieser Konsole</translation>
    </message>
    <message>
        <source>max</source>
        <translation>max</translation>
    </message>
    <message>
        <source>max {ms:.2f} ms</source>
        <translation>max. {ms:.2f} ms</translation>
    </message>
    <message>
        <source>medians alone</source>
        <translation>nur Mediane</translation>
    </message>
    <message>
        <source>medians alone are known of it</source>
        <translation>davon sind nur Mediane bekannt</translation>
    </message>
    <message>
        <source>memory failure</source>
        <translation>Speicherfehler</translation>
    </message>
    <message>
        <source>methods {names}</source>
        <translation>Verfahren {names}</translation>
    </message>
    <message>
        <source>middle frame</source>
        <translation>mittleres Frame</translation>
    </message>
    <message>
        <source>middle frame, {step}</source>
        <translation>mittleres Frame, {step}</translation>
    </message>
    <message>
        <source>min</source>
        <translation>min</translation>
    </message>
    <message>
        <source>mirrored</source>
        <translation>gespiegelt</translation>
    </message>
    <message>
        <source>mirrored and turned by 180 degrees</source>
        <translation>gespiegelt und um 180 Grad gedreht</translation>
    </message>
    <message>
        <source>mirrored and turned by 90 degrees to the left</source>
        <translation>gespiegelt und um 90 Grad nach links gedreht</translation>
    </message>
    <message>
        <source>mirrored and turned by 90 degrees to the right</source>
        <translation>gespiegelt und um 90 Grad nach rechts gedreht</translation>
    </message>
    <message>
        <source>missed</source>
        <comment>samples</comment>
        <translation>verfehlt</translation>
    </message>
    <message>
        <source>more than 99 %</source>
        <translation>mehr als 99 %</translation>
    </message>
    <message>
        <source>more than {count:,}</source>
        <translation>mehr als {count:,}</translation>
    </message>
    <message>
        <source>morphed picture</source>
        <translation>manipuliertes Bild</translation>
    </message>
    <message>
        <source>most often: {acts}</source>
        <translation>am häufigsten: {acts}</translation>
    </message>
    <message>
        <source>most urgent first, times in UTC</source>
        <translation>dringendste zuerst, Zeiten in UTC</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>name and record of now: {about}</source>
        <translation>Name und Aufzeichnung von jetzt: {about}</translation>
    </message>
    <message>
        <source>name of now</source>
        <translation>Name von jetzt</translation>
    </message>
    <message>
        <source>named by its reader</source>
        <translation>vom Lesegerät benannt</translation>
    </message>
    <message>
        <source>nature</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>never measured</source>
        <translation>nie gemessen</translation>
    </message>
    <message>
        <source>never sent</source>
        <translation>nie gesendet</translation>
    </message>
    <message>
        <source>new: {keys}</source>
        <translation>neu: {keys}</translation>
    </message>
    <message>
        <source>newest {newest}</source>
        <translation>neueste {newest}</translation>
    </message>
    <message>
        <source>next blank card</source>
        <translation>nächste leere Karte</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>keine Antwort</translation>
    </message>
    <message>
        <source>no badge at a door</source>
        <translation>kein Ausweis an einer Tür</translation>
    </message>
    <message>
        <source>no burn with doors in 30 days</source>
        <translation>keine Sperrung mit Türen in 30 Tagen</translation>
    </message>
    <message>
        <source>no certificate of then</source>
        <translation>kein Zertifikat von damals</translation>
    </message>
    <message>
        <source>no certificate was seen</source>
        <translation>kein Zertifikat gesehen</translation>
    </message>
    <message>
        <source>no clipping</source>
        <translation>nicht übersteuert</translation>
    </message>
    <message>
        <source>no clock yet: a person fills in the platform&apos;s form</source>
        <translation>noch keine Frist: Eine Person füllt das Formular der Plattform aus</translation>
    </message>
    <message>
        <source>no clock yet: it is being sent</source>
        <translation>noch keine Frist: wird gerade gesendet</translation>
    </message>
    <message>
        <source>no clock yet: waits for your release</source>
        <translation>noch keine Frist: wartet auf Ihre Freigabe</translation>
    </message>
    <message>
        <source>no clock yet: {count} missing</source>
        <translation>noch keine Frist, fehlende Angaben: {count}</translation>
    </message>
    <message>
        <source>no clock yet: {fault}</source>
        <translation>noch keine Frist: {fault}</translation>
    </message>
    <message>
        <source>no clock yet: {fault}, again at {again}</source>
        <translation>noch keine Frist: {fault}, erneut um {again}</translation>
    </message>
    <message>
        <source>no clock: it has come to its end</source>
        <translation>keine Frist: abgeschlossen</translation>
    </message>
    <message>
        <source>no clock: the law names no time</source>
        <translation>keine Frist: Das Gesetz nennt keine Zeit</translation>
    </message>
    <message>
        <source>no data yet</source>
        <translation>noch keine Daten</translation>
    </message>
    <message>
        <source>no date</source>
        <translation>ohne Datum</translation>
    </message>
    <message>
        <source>no door</source>
        <translation>keine Tür</translation>
    </message>
    <message>
        <source>no doors</source>
        <translation>keine Türen</translation>
    </message>
    <message>
        <source>no end known</source>
        <translation>kein Ende bekannt</translation>
    </message>
    <message>
        <source>no entry seen</source>
        <translation>kein Zutritt gesehen</translation>
    </message>
    <message>
        <source>no evidence yet</source>
        <translation>noch kein Beleg</translation>
    </message>
    <message>
        <source>no faults</source>
        <translation>keine Fehler</translation>
    </message>
    <message>
        <source>no frame is registered</source>
        <translation>kein Frame registriert</translation>
    </message>
    <message>
        <source>no goal is set</source>
        <translation>kein Ziel gesetzt</translation>
    </message>
    <message>
        <source>no grant</source>
        <translation>keine Berechtigung</translation>
    </message>
    <message>
        <source>no grant for these doors</source>
        <translation>keine Berechtigung für diese Türen</translation>
    </message>
    <message>
        <source>no grant names this card</source>
        <translation>keine Berechtigung nennt diese Karte</translation>
    </message>
    <message>
        <source>no handshake in a minute</source>
        <translation>kein Handshake in einer Minute</translation>
    </message>
    <message>
        <source>no handshake in the last minute</source>
        <translation>kein Handshake in der letzten Minute</translation>
    </message>
    <message>
        <source>no handshake is known of that minute</source>
        <translation>kein Handshake jener Minute ist bekannt</translation>
    </message>
    <message>
        <source>no handshake is known of that moment</source>
        <translation>von jenem Moment ist kein Handshake bekannt</translation>
    </message>
    <message>
        <source>no history</source>
        <translation>kein Verlauf</translation>
    </message>
    <message>
        <source>no history of certificates</source>
        <translation>kein Verlauf der Zertifikate</translation>
    </message>
    <message>
        <source>no history says how long</source>
        <translation>wie lange, sagt kein früherer Fall</translation>
    </message>
    <message>
        <source>no history yet</source>
        <translation>noch kein Verlauf</translation>
    </message>
    <message>
        <source>no hours in the law; the goal is {span}, {again}</source>
        <translation>keine Stunden im Gesetz; das Ziel ist {span}, {again}</translation>
    </message>
    <message>
        <source>no hours in the law; {again}</source>
        <translation>keine Stunden im Gesetz; {again}</translation>
    </message>
    <message>
        <source>no live check has succeeded yet</source>
        <translation>noch keine Live-Prüfung ist gelungen</translation>
    </message>
    <message>
        <source>no manifest</source>
        <translation>kein Manifest</translation>
    </message>
    <message>
        <source>no place is marked</source>
        <translation>keine Stelle markiert</translation>
    </message>
    <message>
        <source>no probe in the span</source>
        <translation>keine Prüfung in der Zeit</translation>
    </message>
    <message>
        <source>no proof</source>
        <translation>kein Beweis</translation>
    </message>
    <message>
        <source>no rate</source>
        <translation>keine Rate</translation>
    </message>
    <message>
        <source>no rate is known</source>
        <translation>keine Rate bekannt</translation>
    </message>
    <message>
        <source>no reader is registered</source>
        <translation>kein Lesegerät registriert</translation>
    </message>
    <message>
        <source>no reason was told</source>
        <translation>kein Grund genannt</translation>
    </message>
    <message>
        <source>no room on the card</source>
        <translation>kein Platz auf der Karte</translation>
    </message>
    <message>
        <source>no sample</source>
        <translation>keine Messung</translation>
    </message>
    <message>
        <source>no sample of that span</source>
        <translation>keine Messung jener Zeit</translation>
    </message>
    <message>
        <source>no sample then</source>
        <translation>keine Messung damals</translation>
    </message>
    <message>
        <source>no scores</source>
        <translation>keine Punktwerte</translation>
    </message>
    <message>
        <source>no secure channel</source>
        <translation>ohne sicheren Kanal</translation>
    </message>
    <message>
        <source>no verdict yet</source>
        <translation>noch kein Urteil</translation>
    </message>
    <message>
        <source>nobody</source>
        <translation>niemand</translation>
    </message>
    <message>
        <source>nobody yet</source>
        <translation>noch niemand</translation>
    </message>
    <message>
        <source>nobody&apos;s card here</source>
        <translation>hier niemandes Karte</translation>
    </message>
    <message>
        <source>node id</source>
        <translation>Personen-ID</translation>
    </message>
    <message>
        <source>node {node}</source>
        <translation>Personen-ID {node}</translation>
    </message>
    <message>
        <source>noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>noise patterns</source>
        <translation>Rauschmuster</translation>
    </message>
    <message>
        <source>none</source>
        <comment>channel</comment>
        <translation>keiner</translation>
    </message>
    <message>
        <source>none</source>
        <comment>status word</comment>
        <translation>keines</translation>
    </message>
    <message>
        <source>none</source>
        <comment>ATR</comment>
        <translation>keines</translation>
    </message>
    <message>
        <source>none</source>
        <comment>sample</comment>
        <translation>keine</translation>
    </message>
    <message>
        <source>none</source>
        <comment>alarm</comment>
        <translation>keine</translation>
    </message>
    <message>
        <source>none</source>
        <comment>service</comment>
        <translation>keiner</translation>
    </message>
    <message>
        <source>none</source>
        <comment>passphrase</comment>
        <translation>keine</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>none given</source>
        <translation>keine angegeben</translation>
    </message>
    <message>
        <source>none issued</source>
        <translation>keine ausgestellt</translation>
    </message>
    <message>
        <source>none misses a door</source>
        <translation>keiner fehlt eine Tür</translation>
    </message>
    <message>
        <source>none named</source>
        <translation>keines genannt</translation>
    </message>
    <message>
        <source>none on record</source>
        <translation>keine verzeichnet</translation>
    </message>
    <message>
        <source>none yet</source>
        <translation>noch keiner</translation>
    </message>
    <message>
        <source>none yet; register it in Directories first</source>
        <translation>noch keines; registrieren Sie es zuerst unter „Verzeichnisse“</translation>
    </message>
    <message>
        <source>not checked yet</source>
        <translation>noch nicht geprüft</translation>
    </message>
    <message>
        <source>not checked: what it needs is missing</source>
        <translation>nicht geprüft: was dazu nötig ist, fehlt</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>nicht gefunden</translation>
    </message>
    <message>
        <source>not granted here</source>
        <translation>hier nicht berechtigt</translation>
    </message>
    <message>
        <source>not judged</source>
        <translation>nicht beurteilt</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>not known: nothing was read</source>
        <translation>nicht bekannt: nichts wurde gelesen</translation>
    </message>
    <message>
        <source>not let in since {time}, when the doors&apos; record begins</source>
        <translation>nicht eingelassen seit {time}, dem Beginn der Türaufzeichnung</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>not measured since {time}</source>
        <translation>nicht gemessen seit {time}</translation>
    </message>
    <message>
        <source>not ours</source>
        <translation>nicht unserer</translation>
    </message>
    <message>
        <source>not read</source>
        <translation>nicht gelesen</translation>
    </message>
    <message>
        <source>not registered</source>
        <translation>nicht registriert</translation>
    </message>
    <message>
        <source>not said yet</source>
        <translation>noch nicht gesagt</translation>
    </message>
    <message>
        <source>not seen yet</source>
        <translation>noch nicht gesehen</translation>
    </message>
    <message>
        <source>not signed off</source>
        <translation>nicht abgezeichnet</translation>
    </message>
    <message>
        <source>not told</source>
        <translation>nicht genannt</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>noch nicht</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>nothing is heard</source>
        <translation>nichts zu hören</translation>
    </message>
    <message>
        <source>nothing is known</source>
        <translation>nichts bekannt</translation>
    </message>
    <message>
        <source>nothing leaves before they are supplied.</source>
        <translation>nichts geht hinaus, bevor das Fehlende nachgereicht ist.</translation>
    </message>
    <message>
        <source>nothing leaves before “Issue”</source>
        <translation>bis „Ausstellen“ nur hier</translation>
    </message>
    <message>
        <source>nothing of this person opens anything any more</source>
        <translation>nichts dieser Person öffnet noch etwas</translation>
    </message>
    <message>
        <source>nothing proves the module</source>
        <translation>nichts beweist das Modul</translation>
    </message>
    <message>
        <source>nothing was done</source>
        <translation>nichts wurde getan</translation>
    </message>
    <message>
        <source>nothing was found in it</source>
        <translation>darin wurde nichts gefunden</translation>
    </message>
    <message>
        <source>nothing was measured</source>
        <translation>nichts gemessen</translation>
    </message>
    <message>
        <source>nothing was measured in the last minute</source>
        <translation>nichts gemessen in der letzten Minute</translation>
    </message>
    <message>
        <source>nothing was read</source>
        <translation>nichts wurde gelesen</translation>
    </message>
    <message>
        <source>nothing was sent yet</source>
        <translation>noch wurde nichts gesendet</translation>
    </message>
    <message>
        <source>nothing yet</source>
        <translation>noch nichts</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>nudity</source>
        <translation>Nacktheit</translation>
    </message>
    <message>
        <source>number of nodes</source>
        <translation>Zahl der Personen</translation>
    </message>
    <message>
        <source>of every after-life together</source>
        <translation>aller Nachbearbeitungen zusammen</translation>
    </message>
    <message>
        <source>of every kind</source>
        <translation>aller Art</translation>
    </message>
    <message>
        <source>of its most striking frame</source>
        <translation>des auffälligsten Einzelbilds</translation>
    </message>
    <message>
        <source>of other photographs and cameras</source>
        <translation>andere Fotos und Kameras</translation>
    </message>
    <message>
        <source>of other photographs and cameras than all the rest</source>
        <translation>anderer Fotos und Kameras als alle übrigen</translation>
    </message>
    <message>
        <source>of photographs that score highest</source>
        <translation>Fotos mit den höchsten Werten</translation>
    </message>
    <message>
        <source>of the after-life &quot;{name}&quot;, as this one</source>
        <translation>mit der Nachbearbeitung „{name}“ wie dieses</translation>
    </message>
    <message>
        <source>of the frames of now</source>
        <translation>der Frames von jetzt</translation>
    </message>
    <message>
        <source>of the frames registered now</source>
        <translation>der jetzt registrierten Frames</translation>
    </message>
    <message>
        <source>of the newest frame</source>
        <translation>des neuesten Bilds</translation>
    </message>
    <message>
        <source>of the photographs that score highest</source>
        <translation>aus den Fotos mit den höchsten Werten</translation>
    </message>
    <message>
        <source>of {count}</source>
        <translation>von {count}</translation>
    </message>
    <message>
        <source>of {count} online</source>
        <translation>von {count} online</translation>
    </message>
    <message>
        <source>of {total}</source>
        <translation>von {total}</translation>
    </message>
    <message>
        <source>offline</source>
        <translation>offline</translation>
    </message>
    <message>
        <source>on a secure channel</source>
        <translation>auf sicherem Kanal</translation>
    </message>
    <message>
        <source>on its page</source>
        <translation>auf seiner Seite</translation>
    </message>
    <message>
        <source>once</source>
        <translation>einmalig</translation>
    </message>
    <message>
        <source>one of its values is no number.</source>
        <translation>Einer seiner Werte ist keine Zahl.</translation>
    </message>
    <message>
        <source>one scan</source>
        <translation>eine Prüfung</translation>
    </message>
    <message>
        <source>one without a name of its own</source>
        <translation>eine ohne eigenen Namen</translation>
    </message>
    <message>
        <source>only in memory, gone when you leave</source>
        <translation>nur im Speicher, weg beim Verlassen</translation>
    </message>
    <message>
        <source>open</source>
        <comment>state</comment>
        <translation>offen</translation>
    </message>
    <message>
        <source>opens its page</source>
        <translation>öffnet seine Seite</translation>
    </message>
    <message>
        <source>opens when written</source>
        <translation>öffnet nach dem Schreiben</translation>
    </message>
    <message>
        <source>operational</source>
        <translation>in Betrieb</translation>
    </message>
    <message>
        <source>operators</source>
        <translation>Bediener</translation>
    </message>
    <message>
        <source>or type the {kind}</source>
        <translation>oder {kind} eingeben</translation>
    </message>
    <message>
        <source>or type {word}, then Enter</source>
        <translation>oder {word} eingeben, dann Eingabe</translation>
    </message>
    <message>
        <source>ordered by {person}</source>
        <translation>angeordnet durch {person}</translation>
    </message>
    <message>
        <source>other likeness</source>
        <translation>anderes Abbild</translation>
    </message>
    <message>
        <source>outside its hours</source>
        <translation>außerhalb der Zeiten</translation>
    </message>
    <message>
        <source>outside schedule</source>
        <translation>außerhalb der Zeiten</translation>
    </message>
    <message>
        <source>outside the hours</source>
        <translation>außerhalb der Zeiten</translation>
    </message>
    <message>
        <source>over by {about}{span}</source>
        <translation>um {about}{span} überschritten</translation>
    </message>
    <message>
        <source>over the goal of {goal:g} ms</source>
        <translation>über dem Ziel von {goal:g} ms</translation>
    </message>
    <message>
        <source>own</source>
        <comment>lineage</comment>
        <translation>eigene</translation>
    </message>
    <message>
        <source>owner of the copyright</source>
        <translation>Inhaber des Urheberrechts</translation>
    </message>
    <message>
        <source>p50 {before} to {now} ms.</source>
        <translation>p50 {before} auf {now} ms.</translation>
    </message>
    <message>
        <source>p50 {now} ms.</source>
        <translation>p50 {now} ms.</translation>
    </message>
    <message>
        <source>p95 of its last burns</source>
        <translation>p95 der letzten Sperrungen</translation>
    </message>
    <message>
        <source>p99, {kept}; p50 {half:.1f} ms</source>
        <translation>p99, {kept}; p50 {half:.1f} ms</translation>
    </message>
    <message>
        <source>palm</source>
        <translation>Handfläche</translation>
    </message>
    <message>
        <source>part of the data may be corrupt</source>
        <translation>Teil der Daten evtl. beschädigt</translation>
    </message>
    <message>
        <source>passphrase</source>
        <translation>Passphrase</translation>
    </message>
    <message>
        <source>peer</source>
        <translation>Gegenstelle</translation>
    </message>
    <message>
        <source>pending</source>
        <comment>key</comment>
        <translation>ausstehend</translation>
    </message>
    <message>
        <source>pending consensus</source>
        <translation>Konsens ausstehend</translation>
    </message>
    <message>
        <source>permit</source>
        <translation>Erlaubnis</translation>
    </message>
    <message>
        <source>person concerned</source>
        <translation>betroffene Person</translation>
    </message>
    <message>
        <source>pid {pid}, start {number}</source>
        <translation>PID {pid}, Start {number}</translation>
    </message>
    <message>
        <source>pitch</source>
        <translation>Tonhöhe</translation>
    </message>
    <message>
        <source>place {number}</source>
        <translation>Stelle {number}</translation>
    </message>
    <message>
        <source>place {number}, {where}</source>
        <translation>Stelle {number}, {where}</translation>
    </message>
    <message>
        <source>place {tag}</source>
        <translation>Stelle {tag}</translation>
    </message>
    <message>
        <source>platforms</source>
        <translation>Plattformen</translation>
    </message>
    <message>
        <source>postal address</source>
        <translation>Postanschrift</translation>
    </message>
    <message>
        <source>preferences</source>
        <translation>Voreinstellungen</translation>
    </message>
    <message>
        <source>probes</source>
        <translation>Prüfungen</translation>
    </message>
    <message>
        <source>proven by read-back</source>
        <translation>durch Rücklesen bewiesen</translation>
    </message>
    <message>
        <source>proven by the card</source>
        <translation>von der Karte bewiesen</translation>
    </message>
    <message>
        <source>pull, check the face, hand over</source>
        <translation>ziehen, Gesicht prüfen, übergeben</translation>
    </message>
    <message>
        <source>quarantined</source>
        <translation>in Quarantäne</translation>
    </message>
    <message>
        <source>read what was logged</source>
        <translation>Protokolliertes lesen</translation>
    </message>
    <message>
        <source>reader</source>
        <translation>Lesegerät</translation>
    </message>
    <message>
        <source>readers online</source>
        <translation>Lesegeräte online</translation>
    </message>
    <message>
        <source>reference data not found</source>
        <translation>Referenzdaten nicht gefunden</translation>
    </message>
    <message>
        <source>reference data not usable</source>
        <translation>Referenzdaten nicht nutzbar</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>abgelehnt</translation>
    </message>
    <message>
        <source>refused {time}</source>
        <translation>abgelehnt {time}</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>entfernt</translation>
    </message>
    <message>
        <source>resized</source>
        <translation>in der Größe geändert</translation>
    </message>
    <message>
        <source>resonances</source>
        <translation>Resonanzen</translation>
    </message>
    <message>
        <source>retired</source>
        <comment>element</comment>
        <translation>ausgemustert</translation>
    </message>
    <message>
        <source>retry or close the open targets</source>
        <translation>offene Ziele wiederholen oder schließen</translation>
    </message>
    <message>
        <source>revision {revision}, {pages}</source>
        <translation>Revision {revision}, {pages}</translation>
    </message>
    <message>
        <source>revoked</source>
        <translation>widerrufen</translation>
    </message>
    <message>
        <source>revoked for good</source>
        <translation>endgültig widerrufen</translation>
    </message>
    <message>
        <source>right of the middle</source>
        <translation>rechts der Mitte</translation>
    </message>
    <message>
        <source>roles {names}</source>
        <translation>Rollen {names}</translation>
    </message>
    <message>
        <source>rows {first:,} to {last:,}</source>
        <translation>Zeilen {first:,} bis {last:,}</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>Messungen</translation>
    </message>
    <message>
        <source>scan_…, KNOT-… or your reference</source>
        <translation>scan_…, KNOT-… oder Ihre Referenz</translation>
    </message>
    <message>
        <source>scanned {time}</source>
        <translation>geprüft {time}</translation>
    </message>
    <message>
        <source>score</source>
        <translation>Punktwert</translation>
    </message>
    <message>
        <source>seal</source>
        <translation>Siegel</translation>
    </message>
    <message>
        <source>searched back to {back}</source>
        <translation>durchsucht zurück bis {back}</translation>
    </message>
    <message>
        <source>secure</source>
        <translation>sicher</translation>
    </message>
    <message>
        <source>secure messaging not supported</source>
        <translation>Secure Messaging nicht unterstützt</translation>
    </message>
    <message>
        <source>secure messaging object missing</source>
        <translation>Secure-Messaging-Objekt fehlt</translation>
    </message>
    <message>
        <source>secure messaging object wrong</source>
        <translation>Secure-Messaging-Objekt falsch</translation>
    </message>
    <message>
        <source>security status not satisfied</source>
        <translation>Sicherheitsstatus nicht erfüllt</translation>
    </message>
    <message>
        <source>see both and erase the wrong one</source>
        <translation>beide ansehen, die falsche löschen</translation>
    </message>
    <message>
        <source>see the burn and its targets</source>
        <translation>Sperrung und Ziele ansehen</translation>
    </message>
    <message>
        <source>see the decision</source>
        <translation>Entscheidung ansehen</translation>
    </message>
    <message>
        <source>see the page Burn</source>
        <translation>siehe Seite „Sperren“</translation>
    </message>
    <message>
        <source>see which phase failed</source>
        <translation>fehlgeschlagene Phase ansehen</translation>
    </message>
    <message>
        <source>see whom the site trusts (Ctrl+M)</source>
        <translation>ansehen, wem der Standort vertraut (Strg+M)</translation>
    </message>
    <message>
        <source>see why, and send them again</source>
        <translation>Grund ansehen und erneut senden</translation>
    </message>
    <message>
        <source>selected</source>
        <translation>gewählt</translation>
    </message>
    <message>
        <source>sent as a file</source>
        <translation>als Datei gesendet</translation>
    </message>
    <message>
        <source>session</source>
        <translation>Sitzung</translation>
    </message>
    <message>
        <source>sharpness</source>
        <translation>Schärfe</translation>
    </message>
    <message>
        <source>shown {turn}</source>
        <translation>{turn} gezeigt</translation>
    </message>
    <message>
        <source>shows something else</source>
        <translation>zeigt etwas anderes</translation>
    </message>
    <message>
        <source>shows the same</source>
        <translation>zeigt dasselbe</translation>
    </message>
    <message>
        <source>signature of {seconds:.0f} s</source>
        <translation>Signatur aus {seconds:.0f} s</translation>
    </message>
    <message>
        <source>signed off</source>
        <translation>abgezeichnet</translation>
    </message>
    <message>
        <source>since {time}</source>
        <translation>seit {time}</translation>
    </message>
    <message>
        <source>single sign-on</source>
        <translation>Einmalanmeldung</translation>
    </message>
    <message>
        <source>slowest frame</source>
        <translation>langsamstes Frame</translation>
    </message>
    <message>
        <source>slowest frame, {step}</source>
        <translation>langsamstes Frame, {step}</translation>
    </message>
    <message>
        <source>slowest p99 {ms:.1f} ms</source>
        <translation>langsamstes p99 {ms:.1f} ms</translation>
    </message>
    <message>
        <source>somebody</source>
        <translation>jemand</translation>
    </message>
    <message>
        <source>spread {spread:.2f}</source>
        <translation>Streuung {spread:.2f}</translation>
    </message>
    <message>
        <source>stale</source>
        <translation>veraltet</translation>
    </message>
    <message>
        <source>stall</source>
        <translation>Stillstand</translation>
    </message>
    <message>
        <source>started {time}</source>
        <translation>begonnen {time}</translation>
    </message>
    <message>
        <source>started {time} by {operator}</source>
        <translation>begonnen {time} von {operator}</translation>
    </message>
    <message>
        <source>step {at} of {count}, {span} so far</source>
        <translation>Schritt {at} von {count}, bisher {span}</translation>
    </message>
    <message>
        <source>step {at} of {count}, {span} so far, usual {usual}</source>
        <translation>Schritt {at} von {count}, bisher {span}, üblich {usual}</translation>
    </message>
    <message>
        <source>step {seconds:g} s</source>
        <translation>Schritt {seconds:g} s</translation>
    </message>
    <message>
        <source>stored without loss</source>
        <translation>verlustfrei gespeichert</translation>
    </message>
    <message>
        <source>strangers let in</source>
        <translation>Fremde eingelassen</translation>
    </message>
    <message>
        <source>stream lag</source>
        <translation>Verzug</translation>
    </message>
    <message>
        <source>stylized</source>
        <translation>stilisiert</translation>
    </message>
    <message>
        <source>stylized likeness</source>
        <translation>stilisiertes Abbild</translation>
    </message>
    <message>
        <source>suspended</source>
        <translation>ausgesetzt</translation>
    </message>
    <message>
        <source>synthetic suspected</source>
        <translation>Synthetik-Verdacht</translation>
    </message>
    <message>
        <source>take its next step (F7)</source>
        <translation>nächsten Schritt tun (F7)</translation>
    </message>
    <message>
        <source>takedown</source>
        <translation>Löschaufforderung</translation>
    </message>
    <message>
        <source>taken as a burn</source>
        <translation>als Sperrung gewertet</translation>
    </message>
    <message>
        <source>taken back {time}</source>
        <translation>zurückgenommen {time}</translation>
    </message>
    <message>
        <source>taken out</source>
        <translation>herausgenommen</translation>
    </message>
    <message>
        <source>telephone</source>
        <translation>Telefon</translation>
    </message>
    <message>
        <source>template</source>
        <translation>Template</translation>
    </message>
    <message>
        <source>terminal</source>
        <translation>Terminal</translation>
    </message>
    <message>
        <source>terminals</source>
        <translation>Terminals</translation>
    </message>
    <message>
        <source>the 10 min to {clock}</source>
        <translation>die 10 min bis {clock}</translation>
    </message>
    <message>
        <source>the PIN was not given out.</source>
        <translation>Die PIN wurde nicht ausgegeben.</translation>
    </message>
    <message>
        <source>the audit log names the key</source>
        <translation>das Audit-Protokoll nennt den Schlüssel</translation>
    </message>
    <message>
        <source>the bearer token</source>
        <translation>das Bearer-Token</translation>
    </message>
    <message>
        <source>the bind password</source>
        <translation>das Bind-Passwort</translation>
    </message>
    <message>
        <source>the card gives no reason</source>
        <translation>die Karte nennt keinen Grund</translation>
    </message>
    <message>
        <source>the card is held by another program</source>
        <translation>die Karte ist von einem anderen Programm belegt</translation>
    </message>
    <message>
        <source>the clock of such a burn runs until the last door is proven.</source>
        <translation>Die Uhr einer solchen Sperrung läuft, bis die letzte Tür bewiesen ist.</translation>
    </message>
    <message>
        <source>the clock of such a drill runs until the last door is proven.</source>
        <translation>Die Uhr einer solchen Übung läuft, bis die letzte Tür bewiesen ist.</translation>
    </message>
    <message>
        <source>the console</source>
        <translation>die Konsole</translation>
    </message>
    <message>
        <source>the console that runs the service</source>
        <translation>die Konsole, die den Dienst betreibt</translation>
    </message>
    <message>
        <source>the declaration leaves, and the takedown notices wait until they are supplied.</source>
        <translation>die Erklärung geht hinaus, und die Löschaufforderungen warten, bis das Fehlende nachgereicht ist.</translation>
    </message>
    <message>
        <source>the grant has ended</source>
        <translation>die Berechtigung ist beendet</translation>
    </message>
    <message>
        <source>the hour around {clock}</source>
        <translation>die Stunde um {clock}</translation>
    </message>
    <message>
        <source>the last 10 min</source>
        <translation>die letzten 10 min</translation>
    </message>
    <message>
        <source>the last attempt failed</source>
        <translation>der letzte Versuch schlug fehl</translation>
    </message>
    <message>
        <source>the last hour</source>
        <translation>die letzte Stunde</translation>
    </message>
    <message>
        <source>the leaf commits to these very words</source>
        <translation>das Blatt legt genau diese Worte fest</translation>
    </message>
    <message>
        <source>the leaf stays in the log</source>
        <translation>das Blatt bleibt im Protokoll</translation>
    </message>
    <message>
        <source>the person sent away</source>
        <translation>die Person abgewiesen</translation>
    </message>
    <message>
        <source>the person shown</source>
        <translation>gezeigte Person</translation>
    </message>
    <message>
        <source>the picture of a palm</source>
        <translation>das Bild einer Handfläche</translation>
    </message>
    <message>
        <source>the reason is in the history</source>
        <translation>der Grund steht im Verlauf</translation>
    </message>
    <message>
        <source>the same lines in another order</source>
        <translation>dieselben Zeilen in anderer Reihenfolge</translation>
    </message>
    <message>
        <source>the same person and Write finish it</source>
        <translation>„Karte schreiben“ für dieselbe Person stellt sie fertig</translation>
    </message>
    <message>
        <source>the service</source>
        <translation>der Dienst</translation>
    </message>
    <message>
        <source>the signing secret</source>
        <translation>das Signaturgeheimnis</translation>
    </message>
    <message>
        <source>the site runs them: they prove the order, not independence</source>
        <translation>der Standort betreibt sie: Sie beweisen die Folge, keine Unabhängigkeit</translation>
    </message>
    <message>
        <source>the training site</source>
        <translation>die Übungsumgebung</translation>
    </message>
    <message>
        <source>the whole line</source>
        <translation>die ganze Zeile</translation>
    </message>
    <message>
        <source>this scan {score:.2f}</source>
        <translation>diese Prüfung {score:.2f}</translation>
    </message>
    <message>
        <source>title of the work</source>
        <translation>Titel des Werks</translation>
    </message>
    <message>
        <source>to be asked again now</source>
        <translation>Nachfrage jetzt fällig</translation>
    </message>
    <message>
        <source>to {url}</source>
        <translation>mit {url}</translation>
    </message>
    <message>
        <source>to {url}: which site is it?</source>
        <translation>mit {url}: Welcher Standort ist das?</translation>
    </message>
    <message>
        <source>too loud: it is cut off</source>
        <translation>zu laut: abgeschnitten</translation>
    </message>
    <message>
        <source>took {span}</source>
        <translation>Dauer {span}</translation>
    </message>
    <message>
        <source>turned by 180 degrees</source>
        <translation>um 180 Grad gedreht</translation>
    </message>
    <message>
        <source>turned by 90 degrees to the left</source>
        <translation>um 90 Grad nach links gedreht</translation>
    </message>
    <message>
        <source>turned by 90 degrees to the right</source>
        <translation>um 90 Grad nach rechts gedreht</translation>
    </message>
    <message>
        <source>typed name</source>
        <translation>eingetippter Name</translation>
    </message>
    <message>
        <source>under {rate}</source>
        <translation>unter {rate}</translation>
    </message>
    <message>
        <source>under {share}</source>
        <translation>unter {share}</translation>
    </message>
    <message>
        <source>unfolded</source>
        <translation>aufgeklappt</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>unknown card</source>
        <translation>unbekannte Karte</translation>
    </message>
    <message>
        <source>unknown credential</source>
        <translation>unbekanntes Zugangsmittel</translation>
    </message>
    <message>
        <source>unknown site</source>
        <translation>unbekannter Standort</translation>
    </message>
    <message>
        <source>unknown to this table</source>
        <translation>dieser Tabelle unbekannt</translation>
    </message>
    <message>
        <source>unknown, asking</source>
        <translation>unbekannt, wird gefragt</translation>
    </message>
    <message>
        <source>unreachable</source>
        <translation>nicht erreichbar</translation>
    </message>
    <message>
        <source>until a person decides</source>
        <translation>bis ein Mensch entscheidet</translation>
    </message>
    <message>
        <source>until {time}</source>
        <translation>bis {time}</translation>
    </message>
    <message>
        <source>until {time}
{utc}</source>
        <translation>bis {time}
{utc}</translation>
    </message>
    <message>
        <source>until {time}, {age} left</source>
        <translation>bis {time}, noch {age}</translation>
    </message>
    <message>
        <source>unverified</source>
        <translation>nicht verifiziert</translation>
    </message>
    <message>
        <source>up to {kilohertz:.1f} kHz</source>
        <translation>bis {kilohertz:.1f} kHz</translation>
    </message>
    <message>
        <source>up to {time}</source>
        <translation>bis zu {time}</translation>
    </message>
    <message>
        <source>upper left</source>
        <translation>oben links</translation>
    </message>
    <message>
        <source>upper right</source>
        <translation>oben rechts</translation>
    </message>
    <message>
        <source>valid until {time}</source>
        <translation>gültig bis {time}</translation>
    </message>
    <message>
        <source>vendor serial</source>
        <translation>Seriennummer des Herstellers</translation>
    </message>
    <message>
        <source>verified digital human</source>
        <translation>verifizierter Mensch</translation>
    </message>
    <message>
        <source>voice</source>
        <translation>Stimme</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>waits for a card</source>
        <translation>wartet auf eine Karte</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>watch only</source>
        <translation>nur beobachten</translation>
    </message>
    <message>
        <source>what scores are worth</source>
        <translation>was Werte bedeuten</translation>
    </message>
    <message>
        <source>what shows the fraud</source>
        <translation>was den Betrug zeigt</translation>
    </message>
    <message>
        <source>whether somebody else runs them is not known</source>
        <translation>ob andere sie betreiben, ist nicht bekannt</translation>
    </message>
    <message>
        <source>who ordered it is not in what was read</source>
        <translation>wer sie anordnete, steht nicht im Gelesenen</translation>
    </message>
    <message>
        <source>why it is illegal</source>
        <translation>warum es rechtswidrig ist</translation>
    </message>
    <message>
        <source>with a target that is not proven</source>
        <translation>mit unbewiesenem Ziel</translation>
    </message>
    <message>
        <source>with the key of the site</source>
        <translation>mit dem Schlüssel des Standorts</translation>
    </message>
    <message>
        <source>with the key {key}</source>
        <translation>mit dem Schlüssel {key}</translation>
    </message>
    <message>
        <source>withdrawn</source>
        <translation>zurückgezogen</translation>
    </message>
    <message>
        <source>within the goal of {goal:g} ms</source>
        <translation>innerhalb des Ziels von {goal:g} ms</translation>
    </message>
    <message>
        <source>worst first, {count} in all</source>
        <translation>schlechteste zuerst, insgesamt {count}</translation>
    </message>
    <message>
        <source>written {time}</source>
        <translation>geschrieben {time}</translation>
    </message>
    <message>
        <source>wrong cluster</source>
        <translation>falsche Türgruppe</translation>
    </message>
    <message>
        <source>wrong data</source>
        <translation>falsche Daten</translation>
    </message>
    <message>
        <source>wrong length</source>
        <translation>falsche Länge</translation>
    </message>
    <message>
        <source>wrong parameters</source>
        <translation>falsche Parameter</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>{about}{span} left</source>
        <translation>noch {about}{span}</translation>
    </message>
    <message>
        <source>{actor} contained {person} for {span}{why}</source>
        <translation>{actor} setzte {person} für {span} fest{why}</translation>
    </message>
    <message>
        <source>{actor} contained {person}{why}</source>
        <translation>{actor} setzte {person} fest{why}</translation>
    </message>
    <message>
        <source>{actor} released {person} from containment</source>
        <translation>{actor} hob die Festsetzung von {person} auf</translation>
    </message>
    <message>
        <source>{actor} took the alarm about {person}{note}</source>
        <translation>{actor} übernahm den Alarm zu {person}{note}</translation>
    </message>
    <message>
        <source>{actor} took the alarm{note}</source>
        <translation>{actor} übernahm den Alarm{note}</translation>
    </message>
    <message>
        <source>{age} ago</source>
        <translation>vor {age}</translation>
    </message>
    <message>
        <source>{age} before it was read</source>
        <translation>{age} vor dem Lesen</translation>
    </message>
    <message>
        <source>{algorithm}, {count} certificates up to the site&apos;s root</source>
        <translation>{algorithm}, {count} Zertifikate bis zur Wurzel des Standorts</translation>
    </message>
    <message>
        <source>{applied} of {doors} doors open for {person} until {time}.</source>
        <translation>{applied} von {doors} Türen öffnen für {person} bis {time}.</translation>
    </message>
    <message>
        <source>{burns} had doors.</source>
        <translation>{burns} mit Türen.</translation>
    </message>
    <message>
        <source>{burns} not stored yet: the service&apos;s disk takes nothing. Make room.</source>
        <translation>{burns} noch nicht gespeichert: Die Platte des Dienstes nimmt nichts an. Schaffen Sie Platz.</translation>
    </message>
    <message>
        <source>{card} PIN letter printed</source>
        <translation>{card}: PIN-Brief gedruckt</translation>
    </message>
    <message>
        <source>{card} PIN set anew</source>
        <translation>{card}: PIN neu gesetzt</translation>
    </message>
    <message>
        <source>{card} begun</source>
        <translation>{card} begonnen</translation>
    </message>
    <message>
        <source>{card} begun for {person}</source>
        <translation>{card} begonnen für {person}</translation>
    </message>
    <message>
        <source>{card} begun for {person} in {reader}</source>
        <translation>{card} begonnen für {person} in {reader}</translation>
    </message>
    <message>
        <source>{card} for {person} refused{why}</source>
        <translation>{card} für {person} abgelehnt{why}</translation>
    </message>
    <message>
        <source>{card} for {person} torn while it was written</source>
        <translation>{card} für {person} beim Schreiben gezogen</translation>
    </message>
    <message>
        <source>{card} of {person} revoked by itself{why}</source>
        <translation>{card} von {person} allein widerrufen{why}</translation>
    </message>
    <message>
        <source>{card} of {person} taken back for a re-issue</source>
        <translation>{card} von {person} zur Neuausgabe zurückgenommen</translation>
    </message>
    <message>
        <source>{card} of {person}: PIN set anew, proven by the card</source>
        <translation>{card} von {person}: PIN neu gesetzt, von der Karte bewiesen</translation>
    </message>
    <message>
        <source>{card} refused</source>
        <translation>{card} abgelehnt</translation>
    </message>
    <message>
        <source>{card} revoked by itself</source>
        <translation>{card} einzeln widerrufen</translation>
    </message>
    <message>
        <source>{card} taken back for a re-issue</source>
        <translation>{card} zur Neuausgabe zurückgenommen</translation>
    </message>
    <message>
        <source>{card} torn while it was written</source>
        <translation>{card} abgebrochen beim Schreiben</translation>
    </message>
    <message>
        <source>{card} written</source>
        <translation>{card} geschrieben</translation>
    </message>
    <message>
        <source>{card} written for {person}, proven, {apdus} APDUs</source>
        <translation>{card} für {person} geschrieben, bewiesen, {apdus} APDUs</translation>
    </message>
    <message>
        <source>{card}, valid until {day}</source>
        <translation>{card}, gültig bis {day}</translation>
    </message>
    <message>
        <source>{cause}: contained, a person decides</source>
        <translation>{cause}: festgesetzt, ein Mensch entscheidet</translation>
    </message>
    <message>
        <source>{cause}: contained, {time} left</source>
        <translation>{cause}: festgesetzt, noch {time}</translation>
    </message>
    <message>
        <source>{cause}: queued, waits for a decision</source>
        <translation>{cause}: eingereiht, wartet auf eine Entscheidung</translation>
    </message>
    <message>
        <source>{cluster}
until {time}</source>
        <translation>{cluster}
bis {time}</translation>
    </message>
    <message>
        <source>{cluster} opened{by_words}</source>
        <translation>{cluster} geöffnet{by_words}</translation>
    </message>
    <message>
        <source>{cluster}: {count} doors are registered.</source>
        <translation>{cluster}: {count} Türen sind registriert.</translation>
    </message>
    <message>
        <source>{connect_url} is a {found} site; it was asked for as {expected}. Leave --profile out, or name the other service.</source>
        <translation>{connect_url} ist ein Standort vom Profil {found}; verlangt war {expected}. Lassen Sie --profile weg, oder nennen Sie den anderen Dienst.</translation>
    </message>
    <message>
        <source>{count:,} active nodes name no employee: HR cannot end them</source>
        <translation>{count:,} aktive Personen-IDs nennen keine Personalnummer: Das Personalsystem kann sie nicht beenden</translation>
    </message>
    <message>
        <source>{count:,} acts</source>
        <translation>{count:,} Handlungen</translation>
    </message>
    <message>
        <source>{count:,} and more</source>
        <translation>{count:,} und mehr</translation>
    </message>
    <message>
        <source>{count:,} and older ones in the log</source>
        <translation>{count:,} und ältere im Protokoll</translation>
    </message>
    <message>
        <source>{count:,} authentic pictures that were {life}; no training saw one of them.</source>
        <translation>{count:,} authentische Bilder ({life}); keines davon diente dem Training.</translation>
    </message>
    <message>
        <source>{count:,} burns</source>
        <translation>{count:,} Sperrungen</translation>
    </message>
    <message>
        <source>{count:,} calls</source>
        <translation>{count:,} Aufrufe</translation>
    </message>
    <message>
        <source>{count:,} differences</source>
        <translation>{count:,} Abweichungen</translation>
    </message>
    <message>
        <source>{count:,} dropped</source>
        <translation>{count:,} verworfen</translation>
    </message>
    <message>
        <source>{count:,} elements</source>
        <translation>{count:,} Elemente</translation>
    </message>
    <message>
        <source>{count:,} elements found</source>
        <translation>{count:,} Elemente gefunden</translation>
    </message>
    <message>
        <source>{count:,} elements imported: {new:,} new, {changed:,} changed.</source>
        <translation>{count:,} Elemente importiert: {new:,} neu, {changed:,} geändert.</translation>
    </message>
    <message>
        <source>{count:,} elements, all lines are good. {with_keys}An element that is in the stock already takes the line&apos;s values; its state stays unless the line names one, its keys unless it has some.{ignored}</source>
        <translation>{count:,} Elemente, alle Zeilen sind gut. {with_keys}Ein Element, das schon im Bestand ist, erhält die Werte der Zeile; sein Stand bleibt, wenn die Zeile keinen nennt, seine Schlüssel, wenn sie keine enthält.{ignored}</translation>
    </message>
    <message>
        <source>{count:,} entries</source>
        <translation>{count:,} Einträge</translation>
    </message>
    <message>
        <source>{count:,} entries are in {path}.</source>
        <translation>{count:,} Einträge stehen in {path}.</translation>
    </message>
    <message>
        <source>{count:,} entries, {age} ago</source>
        <translation>{count:,} Einträge, vor {age}</translation>
    </message>
    <message>
        <source>{count:,} events</source>
        <translation>{count:,} Ereignisse</translation>
    </message>
    <message>
        <source>{count:,} failed</source>
        <translation>{count:,} fehlgeschlagen</translation>
    </message>
    <message>
        <source>{count:,} frames read</source>
        <translation>{count:,} Bilder gelesen</translation>
    </message>
    <message>
        <source>{count:,} given up</source>
        <translation>{count:,} aufgegeben</translation>
    </message>
    <message>
        <source>{count:,} handshakes in the last minute</source>
        <translation>{count:,} Handshakes in der letzten Minute</translation>
    </message>
    <message>
        <source>{count:,} handshakes in the minute to it</source>
        <translation>{count:,} Handshakes in der Minute bis dahin</translation>
    </message>
    <message>
        <source>{count:,} in the last minute</source>
        <translation>{count:,} in der letzten Minute</translation>
    </message>
    <message>
        <source>{count:,} in the minute to it</source>
        <translation>{count:,} in der Minute davor</translation>
    </message>
    <message>
        <source>{count:,} lines</source>
        <translation>{count:,} Zeilen</translation>
    </message>
    <message>
        <source>{count:,} lines are wrong; nothing was sent. Mend the file and choose it again.</source>
        <translation>{count:,} Zeilen sind falsch; nichts wurde gesendet. Korrigieren Sie die Datei und wählen Sie sie erneut.</translation>
    </message>
    <message>
        <source>{count:,} new since</source>
        <translation>{count:,} neu seither</translation>
    </message>
    <message>
        <source>{count:,} of them miss the proof of a door:</source>
        <translation>Bei {count:,} davon fehlt der Beweis einer Tür:</translation>
    </message>
    <message>
        <source>{count:,} of them with transport keys, which are not shown. </source>
        <translation>{count:,} davon mit Transportschlüsseln, die nicht angezeigt werden. </translation>
    </message>
    <message>
        <source>{count:,} of {known:,} events</source>
        <translation>{count:,} von {known:,} Ereignissen</translation>
    </message>
    <message>
        <source>{count:,} of {total:,}</source>
        <translation>{count:,} von {total:,}</translation>
    </message>
    <message>
        <source>{count:,} of {total:,} are in the stock.</source>
        <translation>{count:,} von {total:,} sind im Bestand.</translation>
    </message>
    <message>
        <source>{count:,} of {total:,} elements</source>
        <translation>{count:,} von {total:,} Elementen</translation>
    </message>
    <message>
        <source>{count:,} of {total:,} elements found</source>
        <translation>{count:,} von {total:,} gefundenen Elementen</translation>
    </message>
    <message>
        <source>{count:,} of {total:,} in time</source>
        <translation>{count:,} von {total:,} rechtzeitig</translation>
    </message>
    <message>
        <source>{count:,} of {total:,} taken</source>
        <translation>{count:,} von {total:,} übernommen</translation>
    </message>
    <message>
        <source>{count:,} of {whole:,} entries</source>
        <translation>{count:,} von {whole:,} Einträgen</translation>
    </message>
    <message>
        <source>{count:,} of {whole:,} so far</source>
        <translation>{count:,} von {whole:,} bisher</translation>
    </message>
    <message>
        <source>{count:,} open</source>
        <translation>{count:,} offen</translation>
    </message>
    <message>
        <source>{count:,} or more lines are wrong; nothing was sent. Mend the file and choose it again.</source>
        <translation>{count:,} oder mehr Zeilen sind falsch; nichts wurde gesendet. Korrigieren Sie die Datei und wählen Sie sie erneut.</translation>
    </message>
    <message>
        <source>{count:,} other files were left out: they are no pictures or videos.</source>
        <translation>{count:,} andere Dateien wurden ausgelassen: Sie sind weder Bilder noch Videos.</translation>
    </message>
    <message>
        <source>{count:,} people</source>
        <translation>{count:,} Personen</translation>
    </message>
    <message>
        <source>{count:,} rows</source>
        <translation>{count:,} Zeilen</translation>
    </message>
    <message>
        <source>{count:,} rows are on the clipboard.</source>
        <translation>{count:,} Zeilen liegen in der Zwischenablage.</translation>
    </message>
    <message>
        <source>{count:,} targets</source>
        <translation>{count:,} Ziele</translation>
    </message>
    <message>
        <source>{count:,} were left out: they are queued already, or the queue has its {most:,}.</source>
        <translation>{count:,} wurden ausgelassen: Sie sind bereits eingereiht, oder die Warteschlange hat ihre {most:,}.</translation>
    </message>
    <message>
        <source>{count:,} without a sample</source>
        <translation>{count:,} ohne Messung</translation>
    </message>
    <message>
        <source>{count:,}+ new since</source>
        <translation>{count:,}+ neu seither</translation>
    </message>
    <message>
        <source>{count:,}, of whom {employed:,} are employed now</source>
        <translation>{count:,}, davon {employed:,} derzeit beschäftigt</translation>
    </message>
    <message>
        <source>{count:g} minutes</source>
        <translation>{count:g} Minuten</translation>
    </message>
    <message>
        <source>{count} APDUs</source>
        <translation>{count} APDUs</translation>
    </message>
    <message>
        <source>{count} APDUs are on the clipboard.</source>
        <translation>{count} APDUs sind in der Zwischenablage.</translation>
    </message>
    <message>
        <source>{count} APDUs in {span}</source>
        <translation>{count} APDUs in {span}</translation>
    </message>
    <message>
        <source>{count} B secret</source>
        <translation>{count} B geheim</translation>
    </message>
    <message>
        <source>{count} PIN mailers saved</source>
        <translation>{count} PIN-Briefe gespeichert</translation>
    </message>
    <message>
        <source>{count} PIN try left</source>
        <translation>{count} PIN-Versuch übrig</translation>
    </message>
    <message>
        <source>{count} a minute</source>
        <translation>{count} pro Minute</translation>
    </message>
    <message>
        <source>{count} addresses</source>
        <translation>{count} Adressen</translation>
    </message>
    <message>
        <source>{count} addresses; at most {most} go into one strike.</source>
        <translation>{count} Adressen; höchstens {most} passen in einen Vorgang.</translation>
    </message>
    <message>
        <source>{count} administrators</source>
        <translation>{count} Administratoren</translation>
    </message>
    <message>
        <source>{count} are being asked</source>
        <translation>{count} werden gefragt</translation>
    </message>
    <message>
        <source>{count} are not proven</source>
        <translation>{count} sind nicht bewiesen</translation>
    </message>
    <message>
        <source>{count} are offline</source>
        <translation>{count} sind offline</translation>
    </message>
    <message>
        <source>{count} at the first card</source>
        <translation>{count} mit der ersten Karte</translation>
    </message>
    <message>
        <source>{count} burns, which are in no figure of this report</source>
        <translation>Sperrungen: {count}, in keiner Zahl dieses Berichts enthalten</translation>
    </message>
    <message>
        <source>{count} bytes follow</source>
        <translation>{count} Bytes folgen</translation>
    </message>
    <message>
        <source>{count} cancelled</source>
        <translation>{count} abgebrochen</translation>
    </message>
    <message>
        <source>{count} cannot do it</source>
        <translation>{count} können es nicht</translation>
    </message>
    <message>
        <source>{count} certificates</source>
        <translation>{count} Zertifikate</translation>
    </message>
    <message>
        <source>{count} certificates of {person} revoked by the burn</source>
        <translation>{count} Zertifikate von {person} durch die Sperrung widerrufen</translation>
    </message>
    <message>
        <source>{count} characters</source>
        <translation>{count} Zeichen</translation>
    </message>
    <message>
        <source>{count} checks hold</source>
        <translation>{count} Prüfungen bestanden</translation>
    </message>
    <message>
        <source>{count} chosen</source>
        <translation>{count} gewählt</translation>
    </message>
    <message>
        <source>{count} closed</source>
        <translation>{count} geschlossen</translation>
    </message>
    <message>
        <source>{count} closed without proof</source>
        <translation>{count} ohne Beweis geschlossen</translation>
    </message>
    <message>
        <source>{count} contained</source>
        <translation>{count} festgesetzt</translation>
    </message>
    <message>
        <source>{count} credentials open something now.</source>
        <translation>{count} Zugangsmittel öffnen jetzt etwas.</translation>
    </message>
    <message>
        <source>{count} do not answer</source>
        <translation>{count} antworten nicht</translation>
    </message>
    <message>
        <source>{count} door grants ended</source>
        <translation>{count} Türberechtigungen endeten</translation>
    </message>
    <message>
        <source>{count} door grants of {person} ended: {standing}</source>
        <translation>{count} Türrechte von {person} beendet: {standing}</translation>
    </message>
    <message>
        <source>{count} doors</source>
        <translation>{count} Türen</translation>
    </message>
    <message>
        <source>{count} doors take a new Secure Channel key now, those that are away when they are back. Doors go on deciding; a door that fails keeps the key that it has.</source>
        <translation>{count} Türen übernehmen jetzt einen neuen Secure-Channel-Schlüssel, nicht erreichbare, sobald sie zurück sind. Die Türen entscheiden weiter; schlägt es bei einer Tür fehl, behält sie ihren bisherigen Schlüssel.</translation>
    </message>
    <message>
        <source>{count} doors, the last after {time}</source>
        <translation>Türen: {count}, die letzte nach {time}</translation>
    </message>
    <message>
        <source>{count} end within {days} days</source>
        <translation>{count} enden binnen {days} Tagen</translation>
    </message>
    <message>
        <source>{count} events</source>
        <translation>{count} Ereignisse</translation>
    </message>
    <message>
        <source>{count} events closed.</source>
        <translation>{count} Ereignisse geschlossen.</translation>
    </message>
    <message>
        <source>{count} events in that hour</source>
        <translation>{count} Ereignisse in jener Stunde</translation>
    </message>
    <message>
        <source>{count} events in the last hour</source>
        <translation>{count} Ereignisse in der letzten Stunde</translation>
    </message>
    <message>
        <source>{count} extra</source>
        <translation>{count} zusätzlich</translation>
    </message>
    <message>
        <source>{count} failed</source>
        <translation>{count} fehlgeschlagen</translation>
    </message>
    <message>
        <source>{count} faults, see the alarms</source>
        <translation>{count} Fehler, siehe Alarme</translation>
    </message>
    <message>
        <source>{count} files</source>
        <translation>{count} Dateien</translation>
    </message>
    <message>
        <source>{count} found: {said}</source>
        <translation>{count} gefunden: {said}</translation>
    </message>
    <message>
        <source>{count} frames, doors, persons and cards are simulated here. Nothing real is touched.</source>
        <translation>{count} Frames, Türen, Personen und Karten sind hier simuliert. Nichts Echtes wird berührt.</translation>
    </message>
    <message>
        <source>{count} gaps</source>
        <translation>{count} Lücken</translation>
    </message>
    <message>
        <source>{count} given</source>
        <translation>{count} ausgegeben</translation>
    </message>
    <message>
        <source>{count} given out before</source>
        <translation>{count} zuvor ausgegeben</translation>
    </message>
    <message>
        <source>{count} hashes{size}</source>
        <translation>{count} Hashes{size}</translation>
    </message>
    <message>
        <source>{count} have ended</source>
        <translation>{count} sind abgelaufen</translation>
    </message>
    <message>
        <source>{count} held</source>
        <translation>{count} gehalten</translation>
    </message>
    <message>
        <source>{count} in other states</source>
        <translation>{count} in anderen Zuständen</translation>
    </message>
    <message>
        <source>{count} in work</source>
        <translation>{count} in Arbeit</translation>
    </message>
    <message>
        <source>{count} in work are finished first</source>
        <translation>{count} in Arbeit werden zuerst fertig</translation>
    </message>
    <message>
        <source>{count} matters are muted on this console.</source>
        <translation>{count} Sachen sind auf dieser Konsole stumm.</translation>
    </message>
    <message>
        <source>{count} missing</source>
        <translation>{count} fehlen</translation>
    </message>
    <message>
        <source>{count} more</source>
        <translation>{count} weitere</translation>
    </message>
    <message>
        <source>{count} more open: the oldest batch takes cards first</source>
        <translation>{count} weitere offen: Der älteste Stapel erhält zuerst Karten</translation>
    </message>
    <message>
        <source>{count} more wait</source>
        <translation>{count} weitere warten</translation>
    </message>
    <message>
        <source>{count} more, all answered</source>
        <translation>{count} weitere, alle antworteten</translation>
    </message>
    <message>
        <source>{count} more, all operational</source>
        <translation>{count} weitere, alle in Betrieb</translation>
    </message>
    <message>
        <source>{count} need you</source>
        <translation>{count} brauchen Sie</translation>
    </message>
    <message>
        <source>{count} never written</source>
        <translation>{count} nie geschrieben</translation>
    </message>
    <message>
        <source>{count} nodes</source>
        <translation>{count} Personen</translation>
    </message>
    <message>
        <source>{count} nodes are denied everywhere here; their burns run.</source>
        <translation>Hier überall abgewiesene Personen: {count}. Ihre Sperrungen laufen.</translation>
    </message>
    <message>
        <source>{count} nodes are denied. {closed} without an open target</source>
        <translation>Abgewiesene Personen: {count}. Ohne offenes Ziel: {closed}</translation>
    </message>
    <message>
        <source>{count} not on a secure channel</source>
        <translation>{count} ohne sicheren Kanal</translation>
    </message>
    <message>
        <source>{count} not seen</source>
        <translation>{count} nicht gesehen</translation>
    </message>
    <message>
        <source>{count} not yet: {states}</source>
        <translation>{count} noch nicht: {states}</translation>
    </message>
    <message>
        <source>{count} of 25</source>
        <translation>{count} von 25</translation>
    </message>
    <message>
        <source>{count} of its notices have not left, and never will. </source>
        <translation>Von seinen Meldungen nicht hinausgegangen: {count}; das bleibt für immer so. </translation>
    </message>
    <message>
        <source>{count} of the span with a door that is not proven</source>
        <translation>{count} im Zeitraum mit einer unbewiesenen Tür</translation>
    </message>
    <message>
        <source>{count} of the {rows} rows left out. {why}</source>
        <translation>{count} der {rows} Zeilen ausgelassen. {why}</translation>
    </message>
    <message>
        <source>{count} of them run elsewhere, as the service says</source>
        <translation>{count} davon laufen anderswo, wie der Dienst sagt</translation>
    </message>
    <message>
        <source>{count} of {lines} bad</source>
        <translation>{count} von {lines} fehlerhaft</translation>
    </message>
    <message>
        <source>{count} of {total}</source>
        <translation>{count} von {total}</translation>
    </message>
    <message>
        <source>{count} of {total} done</source>
        <translation>{count} von {total} erledigt</translation>
    </message>
    <message>
        <source>{count} of {total} doors</source>
        <translation>{count} von {total} Türen</translation>
    </message>
    <message>
        <source>{count} of {total} doors closed without proof</source>
        <translation>{count} von {total} Türen ohne Beweis geschlossen</translation>
    </message>
    <message>
        <source>{count} of {total} doors hold their new key</source>
        <translation>{count} von {total} Türen haben ihren neuen Schlüssel</translation>
    </message>
    <message>
        <source>{count} of {total} doors in {span}</source>
        <translation>{count} von {total} Türen in {span}</translation>
    </message>
    <message>
        <source>{count} of {total} doors without proof: the clock runs</source>
        <translation>{count} von {total} Türen ohne Beweis: Die Uhr läuft</translation>
    </message>
    <message>
        <source>{count} of {total} lines are not finished and never will be. </source>
        <translation>{count} von {total} Zeilen sind nicht fertig und werden es nie mehr. </translation>
    </message>
    <message>
        <source>{count} of {total} operational</source>
        <translation>{count} von {total} in Betrieb</translation>
    </message>
    <message>
        <source>{count} of {total} proven</source>
        <translation>{count} von {total} bewiesen</translation>
    </message>
    <message>
        <source>{count} of {total} readers online</source>
        <translation>{count} von {total} Lesegeräten online</translation>
    </message>
    <message>
        <source>{count} of {total}, checking</source>
        <translation>{count} von {total}, wird geprüft</translation>
    </message>
    <message>
        <source>{count} of {total}, not checked</source>
        <translation>{count} von {total}, nicht geprüft</translation>
    </message>
    <message>
        <source>{count} of {wanted} samples.</source>
        <translation>{count} von {wanted} Proben.</translation>
    </message>
    <message>
        <source>{count} of {wanted} samples: {more} more wanted.</source>
        <translation>{count} von {wanted} Proben: {more} weitere gewünscht.</translation>
    </message>
    <message>
        <source>{count} of {wanted} samples: {needed} more needed, {more} wanted.</source>
        <translation>{count} von {wanted} Proben: {needed} weitere nötig, {more} gewünscht.</translation>
    </message>
    <message>
        <source>{count} offline</source>
        <translation>{count} offline</translation>
    </message>
    <message>
        <source>{count} older entries found no room in the bundle.</source>
        <translation>Ältere Einträge ohne Platz im Paket: {count}.</translation>
    </message>
    <message>
        <source>{count} only delivered</source>
        <translation>{count} nur zugestellt</translation>
    </message>
    <message>
        <source>{count} open</source>
        <translation>{count} offen</translation>
    </message>
    <message>
        <source>{count} or more</source>
        <translation>{count} oder mehr</translation>
    </message>
    <message>
        <source>{count} other SW</source>
        <translation>{count} mit anderem SW</translation>
    </message>
    <message>
        <source>{count} other clusters: no grant</source>
        <translation>{count} weitere Türgruppen: keine Berechtigung</translation>
    </message>
    <message>
        <source>{count} other kinds</source>
        <translation>{count} andere Arten</translation>
    </message>
    <message>
        <source>{count} others</source>
        <translation>{count} andere</translation>
    </message>
    <message>
        <source>{count} pages</source>
        <translation>{count} Seiten</translation>
    </message>
    <message>
        <source>{count} pending offline</source>
        <translation>{count} offline ausstehend</translation>
    </message>
    <message>
        <source>{count} people</source>
        <translation>{count} Personen</translation>
    </message>
    <message>
        <source>{count} pieces</source>
        <translation>{count} Abschnitte</translation>
    </message>
    <message>
        <source>{count} pieces, {apart} of them out of the usual</source>
        <translation>{count} Abschnitte, davon {apart} ungewöhnlich</translation>
    </message>
    <message>
        <source>{count} platforms: {names}</source>
        <translation>{count} Plattformen: {names}</translation>
    </message>
    <message>
        <source>{count} proven</source>
        <translation>{count} bewiesen</translation>
    </message>
    <message>
        <source>{count} proven: {times}</source>
        <translation>{count} bewiesen: {times}</translation>
    </message>
    <message>
        <source>{count} refused the burn</source>
        <translation>{count} haben die Sperrung abgelehnt</translation>
    </message>
    <message>
        <source>{count} resolved: {ends}</source>
        <translation>{count} erledigt: {ends}</translation>
    </message>
    <message>
        <source>{count} samples, {likeness}. Registry {registry}, key epoch {epoch}.</source>
        <translation>{count} Proben, {likeness}. Register {registry}, Schlüsselepoche {epoch}.</translation>
    </message>
    <message>
        <source>{count} seals</source>
        <translation>{count} Siegel</translation>
    </message>
    <message>
        <source>{count} slow</source>
        <translation>{count} langsam</translation>
    </message>
    <message>
        <source>{count} steps old</source>
        <translation>{count} Schritte alt</translation>
    </message>
    <message>
        <source>{count} still open</source>
        <translation>{count} noch offen</translation>
    </message>
    <message>
        <source>{count} take it when they are back</source>
        <translation>{count} übernehmen ihn, sobald sie zurück sind</translation>
    </message>
    <message>
        <source>{count} taken</source>
        <translation>{count} übernommen</translation>
    </message>
    <message>
        <source>{count} takes with {seconds:.1f} s of speech</source>
        <translation>{count} Sprechproben mit {seconds:.1f} s Sprache</translation>
    </message>
    <message>
        <source>{count} takes with {seconds:.1f} s of speech. The two that are least alike are so by {quality} of 100.</source>
        <translation>{count} Sprechproben mit {seconds:.1f} s Sprache. Die beiden unähnlichsten gleichen sich zu {quality} von 100.</translation>
    </message>
    <message>
        <source>{count} templates in {registries}</source>
        <translation>{count} Templates in {registries}</translation>
    </message>
    <message>
        <source>{count} templates of {person} enrolled</source>
        <translation>{count} Templates von {person} erfasst</translation>
    </message>
    <message>
        <source>{count} templates of {person} erased</source>
        <translation>{count} Templates von {person} gelöscht</translation>
    </message>
    <message>
        <source>{count} templates of {person} erased from every registry.</source>
        <translation>{count} Templates von {person} aus allen Registern gelöscht.</translation>
    </message>
    <message>
        <source>{count} things to do</source>
        <translation>{count} Sachen zu tun</translation>
    </message>
    <message>
        <source>{count} ticked.</source>
        <translation>{count} angekreuzt.</translation>
    </message>
    <message>
        <source>{count} ticked; at most {most} in one strike.</source>
        <translation>{count} angekreuzt; höchstens {most} je Vorgang.</translation>
    </message>
    <message>
        <source>{count} to act on</source>
        <translation>{count} zu tun</translation>
    </message>
    <message>
        <source>{count} to decide</source>
        <translation>{count} zu entscheiden</translation>
    </message>
    <message>
        <source>{count} tries left</source>
        <translation>{count} Versuche übrig</translation>
    </message>
    <message>
        <source>{count} unsupported</source>
        <translation>{count} nicht unterstützt</translation>
    </message>
    <message>
        <source>{count} wait</source>
        <translation>{count} warten</translation>
    </message>
    <message>
        <source>{count} wait for {whom}</source>
        <translation>{count} warten auf {whom}</translation>
    </message>
    <message>
        <source>{count} ways</source>
        <translation>{count} Wege</translation>
    </message>
    <message>
        <source>{count} were given up</source>
        <translation>{count} wurden aufgegeben</translation>
    </message>
    <message>
        <source>{count} were written before this console looked: they may be given already.</source>
        <translation>{count} waren geschrieben, ehe diese Konsole hinsah: Sie können schon ausgegeben sein.</translation>
    </message>
    <message>
        <source>{count} without a secure channel</source>
        <translation>{count} ohne sicheren Kanal</translation>
    </message>
    <message>
        <source>{count} without an account found</source>
        <translation>{count} ohne gefundenes Konto</translation>
    </message>
    <message>
        <source>{count} witnesses are run by others; this machine&apos;s own prove order only.</source>
        <translation>{count} Zeugen werden von anderen betrieben; die eigenen dieses Rechners beweisen nur die Reihenfolge.</translation>
    </message>
    <message>
        <source>{count} witnesses cosigned it at {time}</source>
        <translation>{count} Zeugen haben um {time} mitgezeichnet</translation>
    </message>
    <message>
        <source>{count} writing</source>
        <translation>{count} schreiben</translation>
    </message>
    <message>
        <source>{count} written</source>
        <translation>{count} geschrieben</translation>
    </message>
    <message>
        <source>{count} written and proven</source>
        <translation>{count} geschrieben und bewiesen</translation>
    </message>
    <message>
        <source>{count}, likeness {quality} of 100 or more</source>
        <translation>{count}, Ähnlichkeit mindestens {quality} von 100</translation>
    </message>
    <message>
        <source>{count}, numbered in the order of the list</source>
        <translation>{count}, nummeriert in der Folge der Liste</translation>
    </message>
    <message>
        <source>{count}, worst first, times in ms</source>
        <translation>{count}, schlechteste zuerst, Zeiten in ms</translation>
    </message>
    <message>
        <source>{count}, {discarded} left out</source>
        <translation>{count}, {discarded} ausgelassen</translation>
    </message>
    <message>
        <source>{count}, {untaken} of them without an owner</source>
        <translation>{count}, davon {untaken} ohne Zuständigen</translation>
    </message>
    <message>
        <source>{days:.0f} days</source>
        <translation>{days:.0f} Tage</translation>
    </message>
    <message>
        <source>{days:.0f} days left</source>
        <translation>noch {days:.0f} Tage</translation>
    </message>
    <message>
        <source>{detail} It may be written.</source>
        <translation>{detail} Sie darf geschrieben werden.</translation>
    </message>
    <message>
        <source>{detail} It opens nothing any more. Take it back and destroy it, or have its re-issue approved.</source>
        <translation>{detail} Sie öffnet nichts mehr. Nehmen Sie sie zurück und vernichten Sie sie, oder lassen Sie ihre Neuausgabe freigeben.</translation>
    </message>
    <message>
        <source>{detail} Real readers need a service started without it.</source>
        <translation>{detail} Für echte Lesegeräte muss der Dienst ohne diese Option gestartet werden.</translation>
    </message>
    <message>
        <source>{detail} Start pcscd: sudo systemctl start pcscd.socket</source>
        <translation>{detail} Starten Sie pcscd: sudo systemctl start pcscd.socket</translation>
    </message>
    <message>
        <source>{directory}: name the account after a space.</source>
        <translation>{directory}: Nennen Sie das Konto nach einem Leerzeichen.</translation>
    </message>
    <message>
        <source>{done} of 1 door</source>
        <translation>{done} von 1 Tür</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} von {total}</translation>
    </message>
    <message>
        <source>{done} of {total} doors</source>
        <translation>{done} von {total} Türen</translation>
    </message>
    <message>
        <source>{door} at {time}, after {ms:.1f} ms. {why}</source>
        <translation>{door} um {time}, nach {ms:.1f} ms. {why}</translation>
    </message>
    <message>
        <source>{drill}Burn of {node} not on disk</source>
        <translation>{drill}Sperrung von {node} nicht auf der Platte</translation>
    </message>
    <message>
        <source>{drill}Burned badge of {person} shown at {door}</source>
        <translation>{drill}Gesperrter Ausweis von {person} an {door} gezeigt</translation>
    </message>
    <message>
        <source>{drill}Burned badge of {person} used</source>
        <translation>{drill}Gesperrter Ausweis von {person} benutzt</translation>
    </message>
    <message>
        <source>{drill}Burned: {node}, an id that nobody has</source>
        <translation>{drill}Gesperrt: {node}, eine ID, die niemand hat</translation>
    </message>
    <message>
        <source>{drill}{node} is not burned everywhere</source>
        <translation>{drill}{node} ist nicht überall gesperrt</translation>
    </message>
    <message>
        <source>{drill}{node}: {count} of {total} not proven</source>
        <translation>{drill}{node}: {count} von {total} nicht bewiesen</translation>
    </message>
    <message>
        <source>{entry:,} of {log}</source>
        <translation>{entry:,} in {log}</translation>
    </message>
    <message>
        <source>{entry} of {log}</source>
        <translation>{entry} in {log}</translation>
    </message>
    <message>
        <source>{event} waits for nobody afterwards, and its alarm ends. Nothing is burned or released by it: do that before.</source>
        <translation>{event} wartet danach auf niemanden mehr, und der Alarm endet. Das sperrt niemanden und gibt niemanden frei: Tun Sie das vorher.</translation>
    </message>
    <message>
        <source>{evidence}; it has no rate of its own</source>
        <translation>{evidence}; ohne eigene Rate</translation>
    </message>
    <message>
        <source>{example} name-there, one a line</source>
        <translation>{example} dortiger-name, eins je Zeile</translation>
    </message>
    <message>
        <source>{file} cannot be read: {why}.</source>
        <translation>{file} kann nicht gelesen werden: {why}.</translation>
    </message>
    <message>
        <source>{file} exists. Press Enter again to replace it.</source>
        <translation>{file} existiert. Erneut Eingabe drücken, um sie zu ersetzen.</translation>
    </message>
    <message>
        <source>{file} is not taken. {why}</source>
        <translation>{file} wird nicht angenommen. {why}</translation>
    </message>
    <message>
        <source>{file} is not there.</source>
        <translation>{file} ist nicht da.</translation>
    </message>
    <message>
        <source>{folder} cannot be read: {reason}.</source>
        <translation>{folder} kann nicht gelesen werden: {reason}.</translation>
    </message>
    <message>
        <source>{folder} is no folder.</source>
        <translation>{folder} ist kein Ordner.</translation>
    </message>
    <message>
        <source>{found} than not; {asked} is asked.</source>
        <translation>{found} als nicht; verlangt ist {asked}.</translation>
    </message>
    <message>
        <source>{found} times likelier than not; {asked} is asked.</source>
        <translation>{found}-mal wahrscheinlicher als nicht; verlangt ist {asked}.</translation>
    </message>
    <message>
        <source>{frames_up} of {frames} frames and {doors_up} of {doors} doors answer.</source>
        <translation>{frames_up} von {frames} Frames und {doors_up} von {doors} Türen antworten.</translation>
    </message>
    <message>
        <source>{frame} did not change</source>
        <translation>{frame} änderte sich nicht</translation>
    </message>
    <message>
        <source>{frame} does not answer</source>
        <translation>{frame} antwortet nicht</translation>
    </message>
    <message>
        <source>{frame} was not measured</source>
        <translation>{frame} wurde nicht gemessen</translation>
    </message>
    <message>
        <source>{frame} {how} at {clock}</source>
        <translation>{frame} {how} um {clock}</translation>
    </message>
    <message>
        <source>{frame}: nothing before it to compare</source>
        <translation>{frame}: davor nichts zum Vergleich</translation>
    </message>
    <message>
        <source>{head}, empty</source>
        <translation>{head}, leer</translation>
    </message>
    <message>
        <source>{high:.1f} ms</source>
        <translation>{high:.1f} ms</translation>
    </message>
    <message>
        <source>{hours} h {minutes:02} min</source>
        <translation>{hours} h {minutes:02} min</translation>
    </message>
    <message>
        <source>{id} leaves the registry with its live checks. What the audit log says of it stays.</source>
        <translation>{id} verlässt die Registrierung samt Live-Prüfungen. Was das Audit-Protokoll darüber sagt, bleibt.</translation>
    </message>
    <message>
        <source>{index:,} of the seal log</source>
        <translation>{index:,} des Siegelprotokolls</translation>
    </message>
    <message>
        <source>{key} opens nothing any more from that moment on, streams that it opened end, and it cannot be brought back. It was used last: {last_use}.</source>
        <translation>{key} öffnet von da an nichts mehr, von ihm geöffnete Ströme enden, und er lässt sich nicht zurückholen. Zuletzt benutzt: {last_use}.</translation>
    </message>
    <message>
        <source>{kind} at {time}, {reference}</source>
        <translation>{kind} am {time}, {reference}</translation>
    </message>
    <message>
        <source>{kind} matched</source>
        <translation>{kind}: Übereinstimmung</translation>
    </message>
    <message>
        <source>{kind} matched at {terminal}</source>
        <translation>{kind}: Übereinstimmung an {terminal}</translation>
    </message>
    <message>
        <source>{kind} not matched</source>
        <translation>{kind}: keine Übereinstimmung</translation>
    </message>
    <message>
        <source>{kind} not matched{where}</source>
        <translation>{kind} passte nicht{where}</translation>
    </message>
    <message>
        <source>{kind} of {person} matched{where}</source>
        <translation>{kind} von {person} passte{where}</translation>
    </message>
    <message>
        <source>{kind} to {platform}</source>
        <translation>{kind} an {platform}</translation>
    </message>
    <message>
        <source>{kind} to {platform}, by {channel}</source>
        <translation>{kind} an {platform}, per {channel}</translation>
    </message>
    <message>
        <source>{knot} of {person} ends by a new leaf. The first one stays, as it must; this cannot be undone. A new consent needs a new seal.</source>
        <translation>{knot} von {person} endet durch ein neues Blatt. Das erste bleibt, wie es muss; das lässt sich nicht rückgängig machen. Eine neue Einwilligung braucht ein neues Siegel.</translation>
    </message>
    <message>
        <source>{law}{state}; as of {date}, {signed}</source>
        <translation>{law}{state}; Stand {date}, {signed}</translation>
    </message>
    <message>
        <source>{left} more</source>
        <translation>{left} weitere</translation>
    </message>
    <message>
        <source>{left}; renewed {seconds} s before</source>
        <translation>{left}; wird {seconds} s vorher erneuert</translation>
    </message>
    <message>
        <source>{length} long. {said}</source>
        <translation>{length} lang. {said}</translation>
    </message>
    <message>
        <source>{level:.0f} dB over the room</source>
        <translation>{level:.0f} dB über dem Raumgeräusch</translation>
    </message>
    <message>
        <source>{lines} bad: mend the file and choose it again, or leave them out.</source>
        <translation>{lines} fehlerhaft: Korrigieren Sie die Datei und wählen Sie sie erneut, oder lassen Sie sie weg.</translation>
    </message>
    <message>
        <source>{lines}, all good</source>
        <translation>{lines}, alle gut</translation>
    </message>
    <message>
        <source>{lines}, at every reader. A blank card that lies there is written at once.</source>
        <translation>{lines}, an jedem Lesegerät. Eine leere Karte, die dort liegt, wird sofort geschrieben.</translation>
    </message>
    <message>
        <source>{lines}, at one reader. A blank card that lies there is written at once.</source>
        <translation>{lines}, an einem Lesegerät. Eine leere Karte, die dort liegt, wird sofort geschrieben.</translation>
    </message>
    <message>
        <source>{lines}, at {count} readers. A blank card that lies there is written at once.</source>
        <translation>{lines}, an {count} Lesegeräten. Eine leere Karte, die dort liegt, wird sofort geschrieben.</translation>
    </message>
    <message>
        <source>{line} stands here twice.</source>
        <translation>{line} steht hier zweimal.</translation>
    </message>
    <message>
        <source>{line}, {count} entries</source>
        <translation>{line}, {count} Einträge</translation>
    </message>
    <message>
        <source>{liveness}, as the sensor says</source>
        <translation>{liveness}, nach Angabe des Sensors</translation>
    </message>
    <message>
        <source>{maker} is no longer trusted to attest.</source>
        <translation>{maker}: nicht mehr zur Attestierung zugelassen.</translation>
    </message>
    <message>
        <source>{maker} is trusted to attest.</source>
        <translation>{maker}: zur Attestierung zugelassen.</translation>
    </message>
    <message>
        <source>{many:,} {one} marked</source>
        <translation>{many:,} {one} markiert</translation>
    </message>
    <message>
        <source>{mark}, at {x:.0f}, {y:.0f}. Arrows move it, Tab goes to the next, Enter takes the square. {trouble}</source>
        <translation>{mark}, bei {x:.0f}, {y:.0f}. Pfeiltasten bewegen die Marke, Tab geht zur nächsten, Eingabe übernimmt das Quadrat. {trouble}</translation>
    </message>
    <message>
        <source>{minutes} min</source>
        <translation>{minutes} min</translation>
    </message>
    <message>
        <source>{missed:,} probes in {step} from {begin}, all missed.</source>
        <translation>{missed:,} Prüfungen für {step} ab {begin}, alle ohne Antwort.</translation>
    </message>
    <message>
        <source>{model}{count} APDUs, {span} in the card</source>
        <translation>{model}{count} APDUs, {span} in der Karte</translation>
    </message>
    <message>
        <source>{ms:.0f} ms</source>
        <translation>{ms:.0f} ms</translation>
    </message>
    <message>
        <source>{ms:.0f} ms, CPU {cpu_ms:.0f} ms</source>
        <translation>{ms:.0f} ms, CPU {cpu_ms:.0f} ms</translation>
    </message>
    <message>
        <source>{ms:.1f} ms</source>
        <translation>{ms:.1f} ms</translation>
    </message>
    <message>
        <source>{ms:.2f} ms</source>
        <translation>{ms:.2f} ms</translation>
    </message>
    <message>
        <source>{ms:.2f} ms, a median of the time around it</source>
        <translation>{ms:.2f} ms, ein Median der Zeit darum</translation>
    </message>
    <message>
        <source>{ms:.2f} ms, the median of {step} from {begin}</source>
        <translation>{ms:.2f} ms, der Median über {step} ab {begin}</translation>
    </message>
    <message>
        <source>{name} as a table</source>
        <translation>{name} als Tabelle</translation>
    </message>
    <message>
        <source>{name} cannot be read ({problem}).</source>
        <translation>{name} kann nicht gelesen werden ({problem}).</translation>
    </message>
    <message>
        <source>{name} cannot be read: {problem}.</source>
        <translation>{name} kann nicht gelesen werden: {problem}.</translation>
    </message>
    <message>
        <source>{name} exists already; choose another name.</source>
        <translation>{name} gibt es schon; wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>{name} exists already; its PIN was not touched.</source>
        <translation>{name} gibt es schon; die PIN wurde nicht angerührt.</translation>
    </message>
    <message>
        <source>{name} hardly changed: {before} before, {now} {unit} in it.</source>
        <translation>{name} änderte sich kaum: davor {before}, darin {now} {unit}.</translation>
    </message>
    <message>
        <source>{name} has a new passphrase; its other sessions have ended.</source>
        <translation>{name} hat eine neue Passphrase; die anderen Sitzungen sind beendet.</translation>
    </message>
    <message>
        <source>{name} is changed.</source>
        <translation>{name} ist geändert.</translation>
    </message>
    <message>
        <source>{name} is deleted.</source>
        <translation>{name} ist gelöscht.</translation>
    </message>
    <message>
        <source>{name} is denied at this site until {until}. Ctrl+U releases.</source>
        <translation>{name} wird an diesem Standort bis {until} abgewiesen. Strg+U gibt frei.</translation>
    </message>
    <message>
        <source>{name} is denied at this site. Ctrl+U releases.</source>
        <translation>{name} wird an diesem Standort abgewiesen. Strg+U gibt frei.</translation>
    </message>
    <message>
        <source>{name} is made.</source>
        <translation>{name} ist angelegt.</translation>
    </message>
    <message>
        <source>{name} is no operator any more.</source>
        <translation>{name} ist kein Bediener mehr.</translation>
    </message>
    <message>
        <source>{name} is no photo for a badge. {problem}</source>
        <translation>{name} ist kein Ausweisfoto. {problem}</translation>
    </message>
    <message>
        <source>{name} is no picture of a palm. {why}</source>
        <translation>{name} ist kein Bild einer Handfläche. {why}</translation>
    </message>
    <message>
        <source>{name} is not saved</source>
        <translation>{name} ist nicht gespeichert</translation>
    </message>
    <message>
        <source>{name} is not saved: {problem}</source>
        <translation>{name} ist nicht gespeichert: {problem}</translation>
    </message>
    <message>
        <source>{name} is on the badge of this card.</source>
        <translation>{name} ist auf dem Ausweis dieser Karte.</translation>
    </message>
    <message>
        <source>{name} is on the clipboard for {seconds} s.</source>
        <translation>{name} liegt für {seconds} s in der Zwischenablage.</translation>
    </message>
    <message>
        <source>{name} is on the clipboard.</source>
        <translation>{name} liegt in der Zwischenablage.</translation>
    </message>
    <message>
        <source>{name} is registered.</source>
        <translation>{name} ist registriert.</translation>
    </message>
    <message>
        <source>{name} is released.</source>
        <translation>{name} ist freigegeben.</translation>
    </message>
    <message>
        <source>{name} is saved</source>
        <translation>{name} ist gespeichert</translation>
    </message>
    <message>
        <source>{name} is signed out everywhere.</source>
        <translation>{name} ist überall abgemeldet.</translation>
    </message>
    <message>
        <source>{name} is there already</source>
        <translation>{name} ist schon vorhanden</translation>
    </message>
    <message>
        <source>{name} was {now} {unit}; nothing was measured before it.</source>
        <translation>{name} war {now} {unit}; davor wurde nichts gemessen.</translation>
    </message>
    <message>
        <source>{name} went from {before} to {now} {unit}.</source>
        <translation>{name} ging von {before} auf {now} {unit}.</translation>
    </message>
    <message>
        <source>{name} {before} before, {now} ms selected</source>
        <translation>{name} vorher {before}, gewählt {now} ms</translation>
    </message>
    <message>
        <source>{name} {how}, from {before} to {now} {unit}.</source>
        <translation>{name} {how}, von {before} auf {now} {unit}.</translation>
    </message>
    <message>
        <source>{name} {ms:.2f} ms</source>
        <translation>{name} {ms:.2f} ms</translation>
    </message>
    <message>
        <source>{name}, a local time</source>
        <translation>{name}, eine Ortszeit</translation>
    </message>
    <message>
        <source>{name}, scene {at} of {count}</source>
        <translation>{name}, Szene {at} von {count}</translation>
    </message>
    <message>
        <source>{name}, values</source>
        <translation>{name}, Werte</translation>
    </message>
    <message>
        <source>{name}, {roles} ({operator_id}). Switch operator   {keys}</source>
        <translation>{name}, {roles} ({operator_id}). Bediener wechseln   {keys}</translation>
    </message>
    <message>
        <source>{name}: a passphrase</source>
        <translation>{name}: eine Passphrase</translation>
    </message>
    <message>
        <source>{name}{more} registered</source>
        <translation>{name}{more} registriert</translation>
    </message>
    <message>
        <source>{node_id} is burned: its code is accepted nowhere any more.</source>
        <translation>{node_id} ist gesperrt: Der Code dieser Person wird nirgends mehr angenommen.</translation>
    </message>
    <message>
        <source>{node_id} · {standing} · epoch {epoch} · until {until}</source>
        <translation>{node_id} · {standing} · Epoche {epoch} · bis {until}</translation>
    </message>
    <message>
        <source>{node} at {url} is no longer probed, its alarm closes. What the audit log says of it stays.</source>
        <translation>{node} unter {url} wird nicht mehr geprüft, der Alarm dazu wird geschlossen. Was das Audit-Protokoll darüber sagt, bleibt.</translation>
    </message>
    <message>
        <source>{node} is enrolled as {other}, too</source>
        <translation>{node} ist auch als {other} erfasst</translation>
    </message>
    <message>
        <source>{node}: {proven} of {total} targets proven</source>
        <translation>{node}: {proven} von {total} Zielen bewiesen</translation>
    </message>
    <message>
        <source>{note} (as of {date})</source>
        <translation>{note} (Stand {date})</translation>
    </message>
    <message>
        <source>{number} to {platform} {words}.</source>
        <translation>{number} an {platform} {words}.</translation>
    </message>
    <message>
        <source>{offset:+.1f} ms ± {error:.1f} ms</source>
        <translation>{offset:+.1f} ms ± {error:.1f} ms</translation>
    </message>
    <message>
        <source>{of}, {before} before.</source>
        <translation>{of}, vorher {before}.</translation>
    </message>
    <message>
        <source>{of}; no phases were read before.</source>
        <translation>{of}; vorher wurden keine Phasen gelesen.</translation>
    </message>
    <message>
        <source>{online} of {total} online</source>
        <translation>{online} von {total} online</translation>
    </message>
    <message>
        <source>{open} of {doors}</source>
        <translation>{open} von {doors}</translation>
    </message>
    <message>
        <source>{operator} signed in by {method}</source>
        <translation>{operator} meldete sich an durch {method}</translation>
    </message>
    <message>
        <source>{over:,} of {count:,} done</source>
        <translation>{over:,} von {count:,} erledigt</translation>
    </message>
    <message>
        <source>{parts}. Left and Right move the crosshair.</source>
        <translation>{parts}. Links und Rechts bewegen das Fadenkreuz.</translation>
    </message>
    <message>
        <source>{part}, in {package}</source>
        <translation>{part}, in {package}</translation>
    </message>
    <message>
        <source>{path} cannot be read: {error}.</source>
        <translation>{path} kann nicht gelesen werden: {error}.</translation>
    </message>
    <message>
        <source>{path} cannot be written: {why}.</source>
        <translation>{path} kann nicht geschrieben werden: {why}.</translation>
    </message>
    <message>
        <source>{peer} is in service again.</source>
        <translation>{peer} ist wieder in Betrieb.</translation>
    </message>
    <message>
        <source>{peer} is registered; its first probe follows within a second.</source>
        <translation>{peer} ist registriert; die erste Prüfung folgt innerhalb einer Sekunde.</translation>
    </message>
    <message>
        <source>{peer} is under maintenance.</source>
        <translation>{peer} ist in Wartung.</translation>
    </message>
    <message>
        <source>{percent:.0f} % of its size, both move</source>
        <translation>{percent:.0f} % der Größe, beide folgen</translation>
    </message>
    <message>
        <source>{person} at {door}</source>
        <translation>{person} an {door}</translation>
    </message>
    <message>
        <source>{person} burned everywhere{why}</source>
        <translation>{person} überall gesperrt{why}</translation>
    </message>
    <message>
        <source>{person} burned here alone{why}</source>
        <translation>{person} nur hier gesperrt{why}</translation>
    </message>
    <message>
        <source>{person} can no more be checked by voice until enrolled anew. What the audit log says of it stays.</source>
        <translation>{person} kann bis zu einer neuen Erfassung nicht mehr anhand der Stimme geprüft werden. Was das Audit-Protokoll darüber sagt, bleibt.</translation>
    </message>
    <message>
        <source>{person} contained{until}{why}</source>
        <translation>{person} festgesetzt{until}{why}</translation>
    </message>
    <message>
        <source>{person} has this id already.</source>
        <translation>{person} hat diese ID bereits.</translation>
    </message>
    <message>
        <source>{person} in {registry}, epoch {epoch}</source>
        <translation>{person} in {registry}, Epoche {epoch}</translation>
    </message>
    <message>
        <source>{person} is burned</source>
        <translation>{person} ist gesperrt</translation>
    </message>
    <message>
        <source>{person} is burned: {count} in {time}.</source>
        <translation>{person} ist gesperrt: {count} in {time}.</translation>
    </message>
    <message>
        <source>{person} is changed.</source>
        <translation>{person} ist geändert.</translation>
    </message>
    <message>
        <source>{person} is contained</source>
        <translation>{person} ist festgesetzt</translation>
    </message>
    <message>
        <source>{person} is denied no longer, and what the node may do it may do again. Ask HR first, by a way that you know.</source>
        <translation>{person} wird nicht mehr abgewiesen und darf wieder alles, was zuvor erlaubt war. Fragen Sie zuerst die Personalabteilung, auf einem Ihnen bekannten Weg.</translation>
    </message>
    <message>
        <source>{person} is enrolled with {count} samples.</source>
        <translation>{person} ist mit {count} Proben erfasst.</translation>
    </message>
    <message>
        <source>{person} is now {standing}, before {before}</source>
        <translation>{person} ist jetzt {standing}, vorher {before}</translation>
    </message>
    <message>
        <source>{person} is registered.</source>
        <translation>{person} ist registriert.</translation>
    </message>
    <message>
        <source>{person} may open {cluster}, {doors} doors{until}</source>
        <translation>{person} darf {cluster} öffnen, {doors} Türen{until}</translation>
    </message>
    <message>
        <source>{person} may open {cluster}{until}</source>
        <translation>{person} darf {cluster} öffnen{until}</translation>
    </message>
    <message>
        <source>{person} proven to be there by {kind}</source>
        <translation>{person} als anwesend bewiesen durch {kind}</translation>
    </message>
    <message>
        <source>{person} released from containment</source>
        <translation>Festsetzung von {person} aufgehoben</translation>
    </message>
    <message>
        <source>{person}, card {guid}</source>
        <translation>{person}, Karte {guid}</translation>
    </message>
    <message>
        <source>{person}: {text}</source>
        <translation>{person}: {text}</translation>
    </message>
    <message>
        <source>{phase} grew. {said}</source>
        <translation>{phase} wuchs. {said}</translation>
    </message>
    <message>
        <source>{pictures}From pictures: choose the person, then five of the same hand. In each, mark the valley beside the index finger and the valley beside the little finger: 1 at the left, 2 at the right, while the fingers are up.</source>
        <translation>{pictures}Aus Bildern: Person, fünf Bilder einer Hand. Mulden neben Zeige- und kleinem Finger markieren: 1 links, 2 rechts, Finger oben.</translation>
    </message>
    <message>
        <source>{platform}: its public form</source>
        <translation>{platform}: öffentliches Formular</translation>
    </message>
    <message>
        <source>{point}, between {low} and {high}</source>
        <translation>{point}, zwischen {low} und {high}</translation>
    </message>
    <message>
        <source>{printer} took nothing: {words} {save_instead}</source>
        <translation>{printer} hat nichts angenommen: {words} {save_instead}</translation>
    </message>
    <message>
        <source>{problem} The PIN was not touched.</source>
        <translation>{problem} Die PIN wurde nicht angerührt.</translation>
    </message>
    <message>
        <source>{profile} – ARC Console</source>
        <translation>{profile} – ARC Console</translation>
    </message>
    <message>
        <source>{quality} of 100, the least likeness of a sample</source>
        <translation>{quality} von 100, die geringste Ähnlichkeit einer Probe</translation>
    </message>
    <message>
        <source>{raised}  closed {closed}{after}</source>
        <translation>{raised}  geschlossen {closed}{after}</translation>
    </message>
    <message>
        <source>{raised}  open</source>
        <translation>{raised}  offen</translation>
    </message>
    <message>
        <source>{rate:.0e}, extrapolated</source>
        <translation>{rate:.0e}, extrapoliert</translation>
    </message>
    <message>
        <source>{rate} cards a minute</source>
        <translation>{rate} Karten pro Minute</translation>
    </message>
    <message>
        <source>{rate} of untouched pictures of this size score as high (95 %: {low} to {high}): measured on {count:,} untouched pictures {of}; no training saw them.</source>
        <translation>{rate} der unveränderten Bilder dieser Größe erreichen ebenso hohe Werte (95 %: {low} bis {high}): gemessen an {count:,} unveränderten Bildern {of}; keines diente dem Training.</translation>
    </message>
    <message>
        <source>{reader} is chosen again as soon as it is back. Or choose another reader.</source>
        <translation>{reader} ist wieder gewählt, sobald es zurück ist. Oder wählen Sie ein anderes Lesegerät.</translation>
    </message>
    <message>
        <source>{reader} is empty.</source>
        <translation>{reader} ist leer.</translation>
    </message>
    <message>
        <source>{reader} of {cluster}, decided in {ms:.2f} ms at epoch {epoch}</source>
        <translation>{reader} von {cluster}, in {ms:.2f} ms entschieden, Epoche {epoch}</translation>
    </message>
    <message>
        <source>{reader} refused the burned badge of {person}</source>
        <translation>{reader} wies den gesperrten Ausweis von {person} ab</translation>
    </message>
    <message>
        <source>{reader}: take the card out, put the SAME card back</source>
        <translation>{reader}: Karte herausnehmen, DIESELBE wieder einlegen</translation>
    </message>
    <message>
        <source>{reason} {url} asks for a key.</source>
        <translation>{reason} {url} verlangt einen Schlüssel.</translation>
    </message>
    <message>
        <source>{registry}   epoch {epoch}</source>
        <translation>{registry}   Epoche {epoch}</translation>
    </message>
    <message>
        <source>{registry} has key epoch {epoch}: {templates:,} templates were made anew, the old key is destroyed.</source>
        <translation>{registry} hat die Schlüsselepoche {epoch}: {templates:,} Templates wurden neu erstellt, der alte Schlüssel ist vernichtet.</translation>
    </message>
    <message>
        <source>{registry} is registered; its key is made with its first template.</source>
        <translation>{registry} ist registriert; sein Schlüssel entsteht mit dem ersten Template.</translation>
    </message>
    <message>
        <source>{registry}, epoch {epoch}</source>
        <translation>{registry}, Epoche {epoch}</translation>
    </message>
    <message>
        <source>{request} Approved: open it (Enter), put the card in, and Reset PIN.</source>
        <translation>{request} Freigegeben: Öffnen Sie sie (Eingabetaste), legen Sie die Karte ein, dann „PIN zurücksetzen“.</translation>
    </message>
    <message>
        <source>{request} Approved: put the card in, choose its new holder, and Write.</source>
        <translation>{request} Freigegeben: Legen Sie die Karte ein, wählen Sie den neuen Inhaber, dann „Karte schreiben“.</translation>
    </message>
    <message>
        <source>{request} of {person}: {reason}</source>
        <translation>{request} für {person}: {reason}</translation>
    </message>
    <message>
        <source>{rows:,} rows</source>
        <translation>{rows:,} Zeilen</translation>
    </message>
    <message>
        <source>{said} Too few to say which grew.</source>
        <translation>{said} Zu wenige, um zu sagen, welche wuchs.</translation>
    </message>
    <message>
        <source>{said} Whoever exchanges a service would do just that.</source>
        <translation>{said} Genau das täte, wer einen Dienst austauscht.</translation>
    </message>
    <message>
        <source>{said}; {missed:,} of {probes:,} missed</source>
        <translation>{said}; {missed:,} von {probes:,} ohne Antwort</translation>
    </message>
    <message>
        <source>{seconds:.0f} s are enough</source>
        <translation>{seconds:.0f} s genügen</translation>
    </message>
    <message>
        <source>{seconds:.0f} s old</source>
        <translation>{seconds:.0f} s alt</translation>
    </message>
    <message>
        <source>{seconds:.1f} s</source>
        <translation>{seconds:.1f} s</translation>
    </message>
    <message>
        <source>{seconds:.1f} s more</source>
        <translation>noch {seconds:.1f} s</translation>
    </message>
    <message>
        <source>{seconds:.1f} s of speech</source>
        <translation>{seconds:.1f} s Sprache</translation>
    </message>
    <message>
        <source>{seconds:.1f} s, {quality}.</source>
        <translation>{seconds:.1f} s, {quality}.</translation>
    </message>
    <message>
        <source>{seconds:.2f} s</source>
        <translation>{seconds:.2f} s</translation>
    </message>
    <message>
        <source>{seconds} s ago</source>
        <translation>vor {seconds} s</translation>
    </message>
    <message>
        <source>{sentence} Another Citadel key must agree.</source>
        <translation>{sentence} Ein anderer Citadel-Schlüssel muss zustimmen.</translation>
    </message>
    <message>
        <source>{shape} This has {count}.</source>
        <translation>{shape} Hier sind es {count}.</translation>
    </message>
    <message>
        <source>{shape} This is none: {line}</source>
        <translation>{shape} Das ist keine: {line}</translation>
    </message>
    <message>
        <source>{share} cut off</source>
        <translation>{share} übersteuert</translation>
    </message>
    <message>
        <source>{share} is cut off: turn the microphone down.</source>
        <translation>{share} sind übersteuert: Regeln Sie das Mikrofon herunter.</translation>
    </message>
    <message>
        <source>{share} likely to be synthetic.</source>
        <translation>{share} wahrscheinlich synthetisch.</translation>
    </message>
    <message>
        <source>{share} likely to be synthetic. Limit {limit}.</source>
        <translation>{share} wahrscheinlich synthetisch. Grenze {limit}.</translation>
    </message>
    <message>
        <source>{share} of the area was judged.</source>
        <translation>{share} der Fläche wurden beurteilt.</translation>
    </message>
    <message>
        <source>{share} of the picture.</source>
        <translation>{share} des Bilds.</translation>
    </message>
    <message>
        <source>{shown}; type to find the others.</source>
        <translation>{shown}; tippen Sie, um die anderen zu finden.</translation>
    </message>
    <message>
        <source>{signed}: no longer holds</source>
        <translation>{signed}: gilt nicht mehr</translation>
    </message>
    <message>
        <source>{since}: the service does not answer, so no code is shown. It comes back by itself.</source>
        <translation>{since}: Der Dienst antwortet nicht, daher wird kein Code gezeigt. Der Code erscheint von selbst wieder.</translation>
    </message>
    <message>
        <source>{sizes}; this one has {has}.</source>
        <translation>{sizes}; dieses hat {has} Byte.</translation>
    </message>
    <message>
        <source>{source} is believed from now on.</source>
        <translation>{source} wird von jetzt an geglaubt.</translation>
    </message>
    <message>
        <source>{source} signs with its new secret alone.</source>
        <translation>{source} signiert nur noch mit dem neuen Geheimnis.</translation>
    </message>
    <message>
        <source>{span} for {natures}</source>
        <translation>{span} für {natures}</translation>
    </message>
    <message>
        <source>{span} from sending</source>
        <translation>{span} ab dem Senden</translation>
    </message>
    <message>
        <source>{stage}, step {count} of {total}</source>
        <translation>{stage}, Schritt {count} von {total}</translation>
    </message>
    <message>
        <source>{standing} before</source>
        <translation>zuvor „{standing}“</translation>
    </message>
    <message>
        <source>{start} to {end}</source>
        <translation>{start} bis {end}</translation>
    </message>
    <message>
        <source>{start} to {end}: {said}</source>
        <translation>{start} bis {end}: {said}</translation>
    </message>
    <message>
        <source>{step}. Leave the card in {reader}.</source>
        <translation>{step}. Lassen Sie die Karte in {reader}.</translation>
    </message>
    <message>
        <source>{subject} ships with the program: trust {maker} in the list.</source>
        <translation>{subject} liegt dem Programm bei: Vertrauen Sie {maker} in der Liste.</translation>
    </message>
    <message>
        <source>{taken}: enough.</source>
        <translation>{taken}: genug.</translation>
    </message>
    <message>
        <source>{taken}: {more} more and {seconds:.1f} s of speech more needed.</source>
        <translation>{taken}: noch {more} und {seconds:.1f} s Sprache nötig.</translation>
    </message>
    <message>
        <source>{taken}: {more} more needed.</source>
        <translation>{taken}: noch {more} nötig.</translation>
    </message>
    <message>
        <source>{taken}: {seconds:.1f} s of speech more needed.</source>
        <translation>{taken}: noch {seconds:.1f} s Sprache nötig.</translation>
    </message>
    <message>
        <source>{taken}; a new one waits since {since}</source>
        <translation>{taken}; ein neuer wartet seit {since}</translation>
    </message>
    <message>
        <source>{terminal} is changed.</source>
        <translation>{terminal} ist geändert.</translation>
    </message>
    <message>
        <source>{terminal} is registered.</source>
        <translation>{terminal} ist registriert.</translation>
    </message>
    <message>
        <source>{terminal} took bundle {issue}: no burn from before that bundle waits for this device any more.</source>
        <translation>{terminal} hat Paket {issue} übernommen: Keine Sperrung von vor diesem Paket wartet noch auf dieses Gerät.</translation>
    </message>
    <message>
        <source>{terminal} took its bundle</source>
        <translation>{terminal} hat sein Paket übernommen</translation>
    </message>
    <message>
        <source>{text}. {count} entries, {folded}</source>
        <translation>{text}. {count} Einträge, {folded}</translation>
    </message>
    <message>
        <source>{thing} changed</source>
        <translation>{thing} geändert</translation>
    </message>
    <message>
        <source>{thing} registered</source>
        <translation>{thing} angemeldet</translation>
    </message>
    <message>
        <source>{thing} taken out of the registry</source>
        <translation>{thing} aus dem Register genommen</translation>
    </message>
    <message>
        <source>{times:.0f} times</source>
        <translation>auf das {times:.0f}-Fache</translation>
    </message>
    <message>
        <source>{times:.1f} times</source>
        <translation>auf das {times:.1f}-Fache</translation>
    </message>
    <message>
        <source>{times} times less likely</source>
        <translation>{times}-mal unwahrscheinlicher</translation>
    </message>
    <message>
        <source>{times} times likelier</source>
        <translation>{times}-mal wahrscheinlicher</translation>
    </message>
    <message>
        <source>{time}
{action}, leaf {leaf:,}
{actor}</source>
        <translation>{time}
{action}, Blatt {leaf:,}
{actor}</translation>
    </message>
    <message>
        <source>{time}
{decision} {reason} at {reader}, epoch {epoch}</source>
        <translation>{time}
{decision} {reason} an {reader}, Epoche {epoch}</translation>
    </message>
    <message>
        <source>{time} UTC, written by {who}</source>
        <translation>{time} UTC, geschrieben von {who}</translation>
    </message>
    <message>
        <source>{time} by {actor}</source>
        <translation>{time} durch {actor}</translation>
    </message>
    <message>
        <source>{time} by {actor}: {reason}</source>
        <translation>{time} durch {actor}: {reason}</translation>
    </message>
    <message>
        <source>{time} by {person}</source>
        <translation>{time} durch {person}</translation>
    </message>
    <message>
        <source>{time} is before the first entry of the audit log, of {first}: nothing is known of it.</source>
        <translation>{time} liegt vor dem ersten Eintrag des Audit-Protokolls vom {first}: Davon ist nichts bekannt.</translation>
    </message>
    <message>
        <source>{time} is still to come. The time now is {now}.</source>
        <translation>{time} kommt erst noch. Jetzt ist es {now}.</translation>
    </message>
    <message>
        <source>{time} is too long ago: how frames answered is kept for {days} days. Audit goes further back.</source>
        <translation>{time} ist zu lange her: Wie Frames geantwortet haben, wird {days} Tage aufbewahrt. Audit reicht weiter zurück.</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>Noch {time}</translation>
    </message>
    <message>
        <source>{time} {zone}; the log&apos;s time was ahead of the clock</source>
        <translation>{time} {zone}; die Zeit des Protokolls ging der Uhr voraus</translation>
    </message>
    <message>
        <source>{time}, {age} ago</source>
        <translation>{time}, vor {age}</translation>
    </message>
    <message>
        <source>{time}, {age} ago. Names show after sign-in.</source>
        <translation>{time}, vor {age}. Namen erscheinen nach der Anmeldung.</translation>
    </message>
    <message>
        <source>{time}, {age} ago. Not seen since.</source>
        <translation>{time}, vor {age}. Seitdem nicht gesehen.</translation>
    </message>
    <message>
        <source>{title} by {owner}</source>
        <translation>{title} von {owner}</translation>
    </message>
    <message>
        <source>{title} of {peer}</source>
        <translation>{title} von {peer}</translation>
    </message>
    <message>
        <source>{title} · Enter opens · Esc closes</source>
        <translation>{title} · Eingabe öffnet · Esc schließt</translation>
    </message>
    <message>
        <source>{title}, in steps of {step}</source>
        <translation>{title}, in Schritten von {step}</translation>
    </message>
    <message>
        <source>{title}, matched whole</source>
        <translation>{title}, genaue Übereinstimmung</translation>
    </message>
    <message>
        <source>{title}, owned by {owner}</source>
        <translation>{title}, Inhaber: {owner}</translation>
    </message>
    <message>
        <source>{title}, sorted downwards</source>
        <translation>{title}, absteigend sortiert</translation>
    </message>
    <message>
        <source>{title}, sorted upwards</source>
        <translation>{title}, aufsteigend sortiert</translation>
    </message>
    <message>
        <source>{title}, {time}, {age} ago</source>
        <translation>{title}, {time}, vor {age}</translation>
    </message>
    <message>
        <source>{title}: done</source>
        <translation>{title}: erledigt</translation>
    </message>
    <message>
        <source>{title}: missing</source>
        <translation>{title}: fehlt</translation>
    </message>
    <message>
        <source>{title}: none</source>
        <translation>{title}: keine</translation>
    </message>
    <message>
        <source>{title}: none yet</source>
        <translation>{title}: noch nicht</translation>
    </message>
    <message>
        <source>{title}: not on this card</source>
        <translation>{title}: nicht auf dieser Karte</translation>
    </message>
    <message>
        <source>{title}: nothing found · Esc closes</source>
        <translation>{title}: nichts gefunden · Esc schließt</translation>
    </message>
    <message>
        <source>{title}: nothing measured yet</source>
        <translation>{title}: noch nichts gemessen</translation>
    </message>
    <message>
        <source>{title}: nothing was sent. {refusal}</source>
        <translation>{title}: Nichts wurde gesendet. {refusal}</translation>
    </message>
    <message>
        <source>{title}: there</source>
        <translation>{title}: vorhanden</translation>
    </message>
    <message>
        <source>{title}: {printer} has it (job {job}).</source>
        <translation>{title}: an {printer} übergeben (Auftrag {job}).</translation>
    </message>
    <message>
        <source>{title}: {proven} of {total} proven</source>
        <translation>{title}: {proven} von {total} bewiesen</translation>
    </message>
    <message>
        <source>{token} is signed.</source>
        <translation>{token} ist signiert.</translation>
    </message>
    <message>
        <source>{token} is the tracking token of no strike of this site.</source>
        <translation>{token} ist das Tracking-Token keines Vorgangs dieses Standorts.</translation>
    </message>
    <message>
        <source>{token} is withdrawn.</source>
        <translation>{token} ist zurückgezogen.</translation>
    </message>
    <message>
        <source>{tolerance:.2f} · {count:,} trials with strangers</source>
        <translation>{tolerance:.2f} · {count:,} Versuche mit Fremden</translation>
    </message>
    <message>
        <source>{total} taken</source>
        <translation>{total} übernommen</translation>
    </message>
    <message>
        <source>{trouble} {url} answers calls.</source>
        <translation>{trouble} {url} beantwortet Aufrufe.</translation>
    </message>
    <message>
        <source>{uid} is changed.</source>
        <translation>{uid} ist geändert.</translation>
    </message>
    <message>
        <source>{uid} is in the stock.</source>
        <translation>{uid} ist im Bestand.</translation>
    </message>
    <message>
        <source>{uid} is {state} by now; look at it again.</source>
        <translation>{uid} ist inzwischen {state}; sehen Sie noch einmal nach.</translation>
    </message>
    <message>
        <source>{uid} is {state}.</source>
        <translation>{uid} ist {state}.</translation>
    </message>
    <message>
        <source>{uid}, card {guid}</source>
        <translation>{uid}, Karte {guid}</translation>
    </message>
    <message>
        <source>{uid}, card {guid}, until {until}</source>
        <translation>{uid}, Karte {guid}, bis {until}</translation>
    </message>
    <message>
        <source>{uid}, may be written</source>
        <translation>{uid}, darf geschrieben werden</translation>
    </message>
    <message>
        <source>{uid}, of {holder}</source>
        <translation>{uid}, von {holder}</translation>
    </message>
    <message>
        <source>{unit}, log scale</source>
        <translation>{unit}, logarithmisch</translation>
    </message>
    <message>
        <source>{url}
asked for {time}</source>
        <translation>{url}
angefragt {time}</translation>
    </message>
    <message>
        <source>{url} is connected and silent.</source>
        <translation>{url} ist verbunden und schweigt.</translation>
    </message>
    <message>
        <source>{url} needs an API key.</source>
        <translation>{url} braucht einen API-Schlüssel.</translation>
    </message>
    <message>
        <source>{value_text}. Left and Right go 10 seconds, with Ctrl one, with Shift to the next event; Page Up and Page Down 10 minutes, with Ctrl a whole hour, also further back; Enter, or the first figure, types a time, also of another day; End is live.</source>
        <translation>{value_text}. Links und Rechts gehen 10 Sekunden, mit Strg eine, mit Umschalt zum nächsten Ereignis; Bild auf und Bild ab 10 Minuten, mit Strg eine ganze Stunde, auch weiter zurück; Eingabe oder die erste Ziffer öffnet die Eingabe einer Zeit, auch eines anderen Tages; Ende ist live.</translation>
    </message>
    <message>
        <source>{verdict} above {score:.3f}: {rate} of them score higher (95 %: {low} to {high}).</source>
        <translation>{verdict} über {score:.3f}: {rate} davon liegen höher (95 %: {low} bis {high}).</translation>
    </message>
    <message>
        <source>{verdict} by no score alone: the set is too small for {rate}.</source>
        <translation>{verdict} durch keinen Wert allein: Die Bildmenge ist zu klein für {rate}.</translation>
    </message>
    <message>
        <source>{waiting} wait for an owner, {taken} taken. Enter: note, then Enter: take.</source>
        <translation>{waiting} ohne Zuständigen, {taken} übernommen. Eingabe: Notiz, dann Eingabe: übernehmen.</translation>
    </message>
    <message>
        <source>{what} Approved by {person}. Hold, or type the id.</source>
        <translation>{what} Freigegeben durch {person}. Halten Sie den Knopf, oder geben Sie die ID ein.</translation>
    </message>
    <message>
        <source>{what} Approved by {person}. Hold, or type the number of nodes.</source>
        <translation>{what} Freigegeben durch {person}. Halten Sie den Knopf, oder geben Sie die Zahl der Personen ein.</translation>
    </message>
    <message>
        <source>{what} Used by {person}.</source>
        <translation>{what} Benutzt durch {person}.</translation>
    </message>
    <message>
        <source>{what} is in {place}.</source>
        <translation>{what} ist in {place}.</translation>
    </message>
    <message>
        <source>{what} saved as {path}.</source>
        <translation>{what} als {path} gespeichert.</translation>
    </message>
    <message>
        <source>{what} was not saved as {path}: {reason}.</source>
        <translation>{what} wurde nicht als {path} gespeichert: {reason}.</translation>
    </message>
    <message>
        <source>{what}, taken by {owner}.</source>
        <translation>{what}, übernommen von {owner}.</translation>
    </message>
    <message>
        <source>{what}, {age} ago. {owner}</source>
        <translation>{what}, vor {age}. {owner}</translation>
    </message>
    <message>
        <source>{what}. What was sent cannot be called back.</source>
        <translation>{what}. Was gesendet wurde, lässt sich nicht zurückholen.</translation>
    </message>
    <message>
        <source>{what}; the last attempt failed: {fault}.</source>
        <translation>{what}; der letzte Versuch schlug fehl: {fault}.</translation>
    </message>
    <message>
        <source>{where}, frame {frame:,}</source>
        <translation>{where}, Bild {frame:,}</translation>
    </message>
    <message>
        <source>{why} To reject it is open to this key (Alt+X).</source>
        <translation>{why} Dieser Schlüssel darf es ablehnen (Alt+X).</translation>
    </message>
    <message>
        <source>{why} Write goes on from there.</source>
        <translation>{why} „Karte schreiben“ macht dort weiter.</translation>
    </message>
    <message>
        <source>{why}, in {latency_ms:.1f} ms.
{person} at {door}</source>
        <translation>{why}, in {latency_ms:.1f} ms.
{person} an {door}</translation>
    </message>
    <message>
        <source>{width} x {height} pixels; {marked}</source>
        <translation>{width} x {height} Pixel; {marked}</translation>
    </message>
    <message>
        <source>{words} (good: {sw})</source>
        <translation>{words} (gut: {sw})</translation>
    </message>
    <message>
        <source>{words} up to {rate}</source>
        <translation>{words} bis {rate}</translation>
    </message>
    <message>
        <source>{words}. Arrow keys go from event to event, plus and minus zoom.</source>
        <translation>{words}. Pfeiltasten gehen von Ereignis zu Ereignis, Plus und Minus zoomen.</translation>
    </message>
    <message>
        <source>{word} at {time}</source>
        <translation>{word} um {time}</translation>
    </message>
    <message>
        <source>{word}: card of {holder}</source>
        <translation>{word}: Karte von {holder}</translation>
    </message>
    <message>
        <source>{word}: this card opens nothing</source>
        <translation>{word}: diese Karte öffnet nichts</translation>
    </message>
    <message>
        <source>{word}: {count}</source>
        <translation>{word}: {count}</translation>
    </message>
    <message>
        <source>{word}; false alarms: {worth}</source>
        <translation>{word}; Fehlalarme: {worth}</translation>
    </message>
    <message>
        <source>{word}; the log&apos;s time is {age} ahead</source>
        <translation>{word}; die Zeit des Protokolls geht {age} vor</translation>
    </message>
    <message>
        <source>{zone_name} · data {data_age}</source>
        <translation>{zone_name} · Daten {data_age}</translation>
    </message>
    <message>
        <source>“{name}”, {many},</source>
        <translation>„{name}“, {many},</translation>
    </message>
    <message>
        <source>“{note}”</source>
        <translation>„{note}“</translation>
    </message>
    <message>
        <source>“{text}” is no time. Type 14:32:07, 14:32, -5m, -3h, -2d or {date}.</source>
        <translation>„{text}“ ist keine Zeit. Geben Sie 14:32:07, 14:32, -5m, -3h, -2d oder {date} ein.</translation>
    </message>
    <message>
        <source>“{words}”</source>
        <translation>„{words}“</translation>
    </message>
</context>
</TS>
