"""What the generators of this folder have in common: options and output."""
import argparse
import json
import sys


def main(bundle, description, folder, folder_help, limit_help, package):
    """Write bundle(folder, limit) as JSON, the same bytes every time.

    The package is that of Debian whose files are read.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--folder", default=folder,
                        help=folder_help + " (%(default)s)")
    parser.add_argument("--limit", type=int, metavar="N", help=limit_help)
    parser.add_argument("--pretty", action="store_true",
                        help="indent the JSON")
    parser.add_argument("-o", "--output", metavar="FILE",
                        help="write there instead of to standard output")
    arguments = parser.parse_args()
    try:
        made = bundle(arguments.folder, arguments.limit)
    except OSError as error:
        parser.exit(1, "%s: %s: %s; Debian's package %s has it\n" % (
            parser.prog, error.filename, error.strerror, package))
    out = (open(arguments.output, "w", encoding="utf-8")
           if arguments.output else sys.stdout)
    with out:
        json.dump(made, out, ensure_ascii=False,
                  indent=2 if arguments.pretty else None,
                  separators=None if arguments.pretty else (",", ":"))
        out.write("\n")
