"""The command line: the console (default), serve, witness, key, fsck, verify, tour, doctor."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from app.site.site import Profile, Site, SiteError

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_REFUSED = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the process's exit code. What the person got wrong is one sentence on stderr and exit 2."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        return code
    except SiteError as error:
        return _refuse(error)
    except KeyboardInterrupt:
        return 130


def _refuse(error: Exception) -> int:
    print(f"arc-console: {error}", file=sys.stderr)
    return EXIT_REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="arc-console",
        description="Verify people, write cards, watch frames, burn access. Without a command: opens the console.",
    )
    _site_options(parser)
    parser.add_argument("--connect", metavar="URL", help="attach to a service that runs elsewhere")
    parser.add_argument("--picture", metavar="FILE", type=Path, help="keep a picture of the window in FILE")
    parser.set_defaults(run=_console)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    serve = commands.add_parser("serve", help="run the service in the foreground")
    _site_options(serve)
    serve.add_argument("--port", type=_port, default=0, help="TCP port on 127.0.0.1 (default: a free one)")
    use = serve.add_mutually_exclusive_group()
    use.add_argument("--pcsc", dest="pcsc", action="store_const", const="required", help="PC/SC must be there")
    use.add_argument("--no-pcsc", dest="pcsc", action="store_const", const="off", help="never load PC/SC")
    serve.add_argument(
        "--supervised", action="store_true", help="take the API key from stdin's first line, end with stdin"
    )
    serve.set_defaults(run=_serve, pcsc="if-there")

    witness = commands.add_parser("witness", help="cosign the checkpoints of other sites' logs")
    witness.add_argument("--data-dir", dest="witness_dir", metavar="DIR", type=Path, required=True)
    witness.add_argument("--name", required=True, help="its name for life, such as witness.example.com/w1")
    witness.add_argument(
        "--log", dest="logs", metavar="VKEY", nargs="+", action="extend", required=True, help="keys of the logs"
    )
    witness.add_argument("--port", type=_port, default=0, help="TCP port (default: a free one)")
    witness.add_argument("--bind", metavar="ADDRESS", default="127.0.0.1", help="off loopback with TLS alone")
    witness.add_argument("--tls-cert", metavar="FILE", type=Path, help="certificate chain, PEM")
    witness.add_argument("--tls-key", metavar="FILE", type=Path, help="its private key, PEM")
    witness.add_argument("--supervised", action="store_true", help="end with stdin")
    witness.set_defaults(run=_witness)

    key = commands.add_parser("key", help="API keys, and the site's own").add_subparsers(
        title="commands", metavar="COMMAND", required=True
    )
    create = key.add_parser("create", help="make an API key and print it, once")
    _site_options(create)
    create.add_argument("--clearance", choices=("sovereign", "citadel"), required=True)
    create.add_argument("--label", type=_label, required=True, help="what the key is for")
    create.set_defaults(run=_key_create)
    rotate = key.add_parser("rotate", help="replace a signing key of the site")
    _site_options(rotate)
    names = ("receipt", "time-stamps", "manifests", "permits", "cursors", "pepper", "seal-log", "audit-log")
    rotate.add_argument("name", choices=names)
    rotate.set_defaults(run=_key_rotate)
    rotate_kek = key.add_parser("rotate-kek", help="replace the key that wraps all others; the older ones are kept")
    _site_options(rotate_kek)
    rotate_kek.add_argument("--new-passphrase", metavar="FILE", type=Path, help="file (0600) with the next passphrase")
    rotate_kek.set_defaults(run=_key_rotate_kek)
    forget_kek = key.add_parser("forget-kek", help="forget the older keys that wrapped all others")
    _site_options(forget_kek)
    forget_kek.set_defaults(run=_key_forget_kek)

    backup = commands.add_parser("backup", help="copy a site into one file, beside its service or without it")
    _site_options(backup)
    backup.add_argument("--out", metavar="FILE", type=Path, required=True, help="a new file")
    backup.set_defaults(run=_backup)

    restore = commands.add_parser("restore", help="put a backup into an empty directory, unless that forks its logs")
    restore.add_argument("file", metavar="FILE", type=Path)
    restore.add_argument("--data-dir", metavar="DIR", type=Path, required=True)
    restore.add_argument(
        "--new-generation", action="store_true", help="newer entries are lost for good: logs under a new origin"
    )
    restore.set_defaults(run=_restore)

    doctor = commands.add_parser("doctor", help="what is missing or wrong on this machine")
    _site_options(doctor)
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.add_argument("--tests", action="store_true", help="look for what the tests need, too")
    doctor.set_defaults(run=_doctor)

    fsck = commands.add_parser("fsck", help="whether both logs of a site are what was signed")
    _site_options(fsck)
    fsck.add_argument("--json", action="store_true", help="print JSON, one finding a line")
    fsck.add_argument("--offline", action="store_true", help="ask no witness")
    fsck.add_argument("--gently", action="store_true", help="at the lowest priority, beside a service at work")
    fsck.add_argument(
        "--part", metavar="K/N", type=_part, default=(0, 1), help="the K-th of N parts, as a service checks each night"
    )
    fsck.set_defaults(run=_fsck)

    verify = commands.add_parser("verify", help="whether a seal, receipt, revocation log or bundle holds, offline")
    _site_options(verify)
    verify.add_argument("file", metavar="FILE", type=Path)
    verify.add_argument(
        "--trust", metavar="DIR", type=Path, help="its files policy and roots are trusted (default: this site's own)"
    )
    verify.add_argument("--json", action="store_true", help="print JSON")
    verify.set_defaults(run=_verify)

    tour = commands.add_parser("tour", help="drive the console through the main job and save pictures")
    tour.add_argument("--out", metavar="DIR", type=Path, required=True)
    tour.set_defaults(run=_tour)
    return parser


def _site_options(parser: argparse.ArgumentParser) -> None:
    # SUPPRESS: a subcommand's missing option must not overwrite one that was given before the command.
    parser.add_argument(
        "--profile", choices=("training", "production"), default=argparse.SUPPRESS, help="default: training"
    )
    parser.add_argument("--data-dir", metavar="DIR", type=Path, default=argparse.SUPPRESS)


def _part(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= 1_000):
        raise argparse.ArgumentTypeError("a part is written as 1/7 to 7/7")
    return int(number) - 1, int(of)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)


def _label(text: str) -> str:
    import msgspec

    from app.api.wire import ShortText

    try:
        return msgspec.convert(text, ShortText)
    except msgspec.ValidationError as error:
        raise argparse.ArgumentTypeError("a label has 1 to 200 characters") from error


def _profile(options: argparse.Namespace) -> Profile:
    profile: Profile = getattr(options, "profile", "training")
    return profile


def _data_dir(options: argparse.Namespace) -> Path | None:
    found: Path | None = getattr(options, "data_dir", None)
    return found


def _existing_site(options: argparse.Namespace) -> Site:
    data_dir = _data_dir(options)
    if data_dir is not None:
        return Site.existing(data_dir, getattr(options, "profile", None))
    return Site.existing(Site.default_data_dir(_profile(options)), _profile(options))


def _console(options: argparse.Namespace) -> int:
    # Nothing made before the first frame is garbage; ``app.console.process.collector`` does this work afterwards.
    gc.disable()
    from app.console.app import run_console

    data_dir = _data_dir(options) or Site.default_data_dir(_profile(options))
    return run_console(_profile(options), data_dir, connect_url=options.connect, picture=options.picture)


def _serve(options: argparse.Namespace) -> int:
    # Before numpy is loaded: a search is one thread's work (two on loaded cores take ten times its time).
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(threads, "1")

    from app.service.assembly import assemble
    from app.service.process import ServeError
    from app.service.serving import Launch, serve
    from app.store.errors import StoreError

    site = Site.open(_data_dir(options), _profile(options))
    with contextlib.ExitStack() as claims:
        try:
            return serve(
                lambda: assemble(site, pcsc=options.pcsc, claims=claims),
                Launch(port=options.port, supervised=options.supervised),
            )
        except (ServeError, StoreError) as error:
            return _refuse(error)


def _witness(options: argparse.Namespace) -> int:
    from app.commands.witness import WitnessLaunch, run_witness
    from app.service.process import ServeError

    if (options.tls_cert is None) is not (options.tls_key is None):
        return _refuse(ValueError("Give --tls-cert and --tls-key, or neither."))
    launch = WitnessLaunch(
        options.witness_dir.absolute(),
        options.name,
        options.logs,
        host=options.bind,
        port=options.port,
        tls=None if options.tls_cert is None else (options.tls_cert, options.tls_key),
        supervised=options.supervised,
    )
    try:
        return run_witness(launch)
    except ServeError as error:
        return _refuse(error)


def _key_create(options: argparse.Namespace) -> int:
    from app.service.assembly import create_key
    from app.service.process import limit_process
    from app.store.errors import StoreError

    limit_process()
    site = Site.open(_data_dir(options), _profile(options))
    try:
        print(create_key(site, clearance=options.clearance, label=options.label))
    except (StoreError, ValueError) as error:
        return _refuse(error)
    return EXIT_OK


def _key_rotate(options: argparse.Namespace) -> int:
    from app.commands.keys import rotate

    return _key_change(options, lambda site: rotate(site, options.name))


def _key_rotate_kek(options: argparse.Namespace) -> int:
    from app.commands.keys import rotate_kek

    return _key_change(options, lambda site: rotate_kek(site, options.new_passphrase))


def _key_forget_kek(options: argparse.Namespace) -> int:
    from app.commands.keys import forget_keks

    return _key_change(options, forget_keks)


def _key_change(options: argparse.Namespace, change: Callable[[Site], str]) -> int:
    from app.service.process import limit_process
    from app.store.errors import StoreError

    limit_process()
    try:
        print(change(_existing_site(options)))
    except StoreError as error:
        return _refuse(error)
    return EXIT_OK


def _backup(options: argparse.Namespace) -> int:
    from app.commands.backup import backup
    from app.service.process import limit_process
    from app.store.errors import StoreError

    limit_process()
    try:
        manifest, keep = backup(_existing_site(options), options.out)
    except StoreError as error:
        return _refuse(error)
    sizes = {label: head.size for label, head in manifest.heads.items()}
    print(f"{options.out}: {sizes.get('seal', 0)} seals and {sizes.get('audit', 0)} audit entries. {keep}")
    return EXIT_OK


def _restore(options: argparse.Namespace) -> int:
    from app.commands.backup import restore
    from app.service.process import limit_process
    from app.store.errors import StoreError

    limit_process()
    try:
        done = restore(options.file, options.data_dir, new_generation=options.new_generation)
    except StoreError as error:
        return _refuse(error)
    print(f"Restored the {done.site.profile} site {done.site.name} to {done.site.data_dir}.", *done.sentences, sep="\n")
    return EXIT_OK


def _doctor(options: argparse.Namespace) -> int:
    from app.commands.doctor import examine, report, worst

    findings = list(examine(_profile(options), _data_dir(options), tests=options.tests))
    print(report(findings, as_json=options.json))
    return worst(findings)


def _fsck(options: argparse.Namespace) -> int:
    from app.commands.fsck import run_fsck
    from app.ledger.check.rows import LogPart
    from app.store.errors import StoreError

    data_dir = _data_dir(options) or Site.default_data_dir(_profile(options))
    if not data_dir.is_dir():
        return _refuse(SiteError(f"{data_dir} is not there: there is nothing to look at. Name the site's directory."))
    site = Site.open(data_dir, _profile(options))
    if options.gently:
        with contextlib.suppress(AttributeError, OSError):  # a system without priorities of this kind
            os.nice(19)
    try:
        part = LogPart(*options.part)
        return run_fsck(site, sys.stdout, as_json=options.json, offline=options.offline, part=part)
    except StoreError as error:
        return _refuse(error)


def _verify(options: argparse.Namespace) -> int:
    from app.commands.verify import VerifyError, pinned_trust, run_verify, site_trust
    from app.evidence.checks import EvidenceError

    try:
        trust = (
            site_trust(_data_dir(options) or Site.default_data_dir(_profile(options)))
            if options.trust is None
            else pinned_trust(options.trust)
        )
        return run_verify(options.file, trust, sys.stdout, as_json=options.json)
    except (VerifyError, EvidenceError) as error:
        return _refuse(error)


def _tour(options: argparse.Namespace) -> int:
    from app.console.tour import run_tour

    return run_tour(options.out)


if __name__ == "__main__":
    sys.exit(main())
