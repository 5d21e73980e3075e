"""The command line: parses, then calls one file of ``app/commands``."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from app.commands.options import refuse
from app.site.errors import SiteError

Run = Callable[[argparse.Namespace], int]
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the process's exit code. What the person got wrong is one sentence on stderr and exit 2."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        return code
    except SiteError as error:
        return refuse(error)
    except KeyboardInterrupt:
        return 130


def _command(module: str, function: str = "run") -> Run:
    """A command's own function. Its file is imported when it runs: no command pays for what another one needs."""

    def run(options: argparse.Namespace) -> int:
        code: int = getattr(importlib.import_module(f"app.commands.{module}"), function)(options)
        return code

    return run


def _parser() -> argparse.ArgumentParser:
    """Every command with its options; ``run`` of the parsed options runs it."""
    parser = argparse.ArgumentParser(
        prog="arc-console",
        description="Verify people, write cards, watch frames, burn access. Without a command: opens the console.",
    )
    _site_options(parser)
    parser.add_argument("--connect", metavar="URL", help="attach to a service that runs elsewhere")
    parser.add_argument("--picture", metavar="FILE", type=Path, help="keep a picture of the window in FILE")
    parser.set_defaults(run=_command("console"))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_servers(commands)
    _add_keys(commands)
    _add_mail(commands)
    _add_operators(commands)
    _add_copies(commands)
    _add_checks(commands)
    tour = commands.add_parser("tour", help="drive the console through the main job and save pictures")
    tour.add_argument("--out", metavar="DIR", type=Path, required=True, help="where the pictures go")
    tour.set_defaults(run=_command("console", "run_tour"))
    completion = commands.add_parser("completion", help="print what bash needs to complete these commands")
    completion.set_defaults(run=_of_table("completion"))
    manual = commands.add_parser("man", help="print the manual page")
    manual.set_defaults(run=_of_table("man"))
    return parser


def _of_table(module: str) -> Run:
    """A command that is about the whole table, which is here."""

    def run(_options: argparse.Namespace) -> int:
        code: int = importlib.import_module(f"app.commands.{module}").run(_parser())
        return code

    return run


def _add_servers(commands: Commands) -> None:
    """``serve``, ``witness`` and ``desk-card``: those that run until they are stopped."""
    serve = commands.add_parser("serve", help="run the service in the foreground")
    _site_options(serve)
    serve.add_argument("--port", type=_port, default=0, help="TCP port on 127.0.0.1 (default: a free one)")
    use = serve.add_mutually_exclusive_group()
    use.add_argument("--pcsc", dest="pcsc", action="store_const", const="required", help="PC/SC must be there")
    use.add_argument("--no-pcsc", dest="pcsc", action="store_const", const="off", help="never load PC/SC")
    serve.add_argument(
        "--supervised", action="store_true", help="take the API key from stdin's first line, end with stdin"
    )
    serve.set_defaults(run=_command("serve"), pcsc="if-there")

    witness = commands.add_parser("witness", help="cosign the checkpoints of other sites' logs")
    witness.add_argument(
        "--data-dir", dest="witness_dir", metavar="DIR", type=Path, required=True, help="where its keys and state are"
    )
    witness.add_argument("--name", required=True, help="its name for life, such as witness.example.com/w1")
    witness.add_argument(
        "--log", dest="logs", metavar="VKEY", nargs="+", action="extend", required=True, help="keys of the logs"
    )
    witness.add_argument("--port", type=_port, default=0, help="TCP port (default: a free one)")
    witness.add_argument("--bind", metavar="ADDRESS", default="127.0.0.1", help="off loopback with TLS alone")
    witness.add_argument("--tls-cert", metavar="FILE", type=Path, help="certificate chain, PEM")
    witness.add_argument("--tls-key", metavar="FILE", type=Path, help="its private key, PEM")
    witness.add_argument("--supervised", action="store_true", help="end with stdin")
    witness.set_defaults(run=_command("witness"))

    card = commands.add_parser("desk-card", help="the operator's card, for a console: lines of JSON over stdin, stdout")
    card.set_defaults(run=_command("desk_card"))


def _add_keys(commands: Commands) -> None:
    """``key``: API keys, and the site's own keys."""
    key = commands.add_parser("key", help="API keys, and the site's own").add_subparsers(
        title="commands", metavar="COMMAND", required=True
    )
    create = key.add_parser("create", help="make an API key and print it, once")
    _site_options(create)
    create.add_argument(
        "--clearance", choices=("sovereign", "citadel"), required=True, help="what it may call; citadel: everything"
    )
    create.add_argument("--label", type=_label, required=True, help="what the key is for")
    create.set_defaults(run=_command("keys", "run_create"))
    rotate = key.add_parser("rotate", help="replace a signing key of the site")
    _site_options(rotate)
    signing = ("receipt", "time-stamps", "manifests", "permits", "security-events", "webhooks", "dkim")
    names = (*signing, "cursors", "pepper", "seal-log", "audit-log")
    rotate.add_argument("name", choices=names, help="which key")
    rotate.set_defaults(run=_command("keys", "run_rotate"))
    rotate_kek = key.add_parser("rotate-kek", help="replace the key that wraps all others; the older ones are kept")
    _site_options(rotate_kek)
    rotate_kek.add_argument("--new-passphrase", metavar="FILE", type=Path, help="file (0600) with the next passphrase")
    rotate_kek.set_defaults(run=_command("keys", "run_rotate_kek"))
    forget_kek = key.add_parser("forget-kek", help="forget the older keys that wrapped all others")
    _site_options(forget_kek)
    forget_kek.set_defaults(run=_command("keys", "run_forget_kek"))


def _add_mail(commands: Commands) -> None:
    """``mail``: what the site needs to send notices."""
    mail = commands.add_parser("mail", help="how the site sends notices").add_subparsers(
        title="commands", metavar="COMMAND", required=True
    )
    dns = mail.add_parser("dns", help="the DNS records by which receivers verify the site's mail")
    _site_options(dns)
    dns.set_defaults(run=_command("mail", "run_dns"))
    password = mail.add_parser("password", help="keep the relay's password, read from standard input")
    _site_options(password)
    password.add_argument("--mailbox", action="store_true", help="that of the bounce mailbox instead")
    password.set_defaults(run=_command("mail", "run_password"))


def _add_operators(commands: Commands) -> None:
    """``operator``: persons at the desk."""
    operators = commands.add_parser("operator", help="persons at the desk").add_subparsers(
        title="commands", metavar="COMMAND", required=True
    )
    create = operators.add_parser("create", help="make an operator; the passphrase is asked for, or stdin's first line")
    _site_options(create)
    create.add_argument("--name", type=_label, required=True, help="the person's name")
    create.add_argument("--admin", action="store_true", help="an administrator, beside other roles")
    create.add_argument(
        "--role",
        dest="roles",
        choices=("desk", "badge", "manager", "auditor", "admin"),
        action="append",
        default=[],
        help="what the person may do; may be given several times",
    )
    create.add_argument("--node", metavar="NODE_ID", help="the registered person who the operator is")
    create.set_defaults(run=_command("operators", "run_create"))
    passphrase = operators.add_parser("passphrase", help="give an operator another passphrase, as of create")
    _site_options(passphrase)
    passphrase.add_argument("operator_id", metavar="OPERATOR_ID", help="whose")
    passphrase.set_defaults(run=_command("operators", "run_passphrase"))


def _add_copies(commands: Commands) -> None:
    """``backup`` and ``restore``."""
    backup = commands.add_parser("backup", help="copy a site into one file, beside its service or without it")
    _site_options(backup)
    backup.add_argument("--out", metavar="FILE", type=Path, required=True, help="a new file")
    backup.set_defaults(run=_command("backup"))

    restore = commands.add_parser("restore", help="put a backup into an empty directory, unless that forks its logs")
    restore.add_argument("file", metavar="FILE", type=Path, help="the backup")
    restore.add_argument("--data-dir", metavar="DIR", type=Path, required=True, help="an empty directory")
    restore.add_argument(
        "--new-generation", action="store_true", help="newer entries are lost for good: logs under a new origin"
    )
    restore.set_defaults(run=_command("restore"))


def _add_checks(commands: Commands) -> None:
    """``doctor``, ``fsck``, ``verify``: what is wrong, and what holds."""
    doctor = commands.add_parser("doctor", help="what is missing or wrong on this machine")
    _site_options(doctor)
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.add_argument("--tests", action="store_true", help="look for what the tests need, too")
    doctor.set_defaults(run=_command("doctor"))

    fsck = commands.add_parser("fsck", help="whether both logs of a site are what was signed")
    _site_options(fsck)
    fsck.add_argument("--json", action="store_true", help="print JSON, one finding a line")
    fsck.add_argument("--offline", action="store_true", help="ask no witness")
    fsck.add_argument("--gently", action="store_true", help="at the lowest priority, beside a service at work")
    fsck.add_argument(
        "--part", metavar="K/N", type=_part, default=(0, 1), help="the K-th of N parts, as a service checks each night"
    )
    fsck.set_defaults(run=_command("fsck"))

    verify = commands.add_parser(
        "verify", help="whether a seal, receipt, revocation log, declaration, notice or bundle holds, offline"
    )
    _site_options(verify)
    verify.add_argument("file", metavar="FILE", type=Path, help="what is to be judged")
    verify.add_argument(
        "--trust", metavar="DIR", type=Path, help="its files policy and roots are trusted (default: this site's own)"
    )
    verify.add_argument("--json", action="store_true", help="print JSON")
    verify.set_defaults(run=_command("verify"))


def _site_options(parser: argparse.ArgumentParser) -> None:
    # SUPPRESS: a subcommand's missing option must not overwrite one that was given before the command.
    parser.add_argument(
        "--profile", choices=("training", "production"), default=argparse.SUPPRESS, help="default: training"
    )
    parser.add_argument(
        "--data-dir", metavar="DIR", type=Path, default=argparse.SUPPRESS, help="the site (default: the profile's own)"
    )


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


if __name__ == "__main__":
    sys.exit(main())
