"""Hooks of the fuzzer Schemathesis (schemathesis.mjs)."""

from urllib.parse import urlencode

import schemathesis

# Node reads 16 KiB of request line and headers. It closes the connection of a longer request while it is sent.
LONGEST_ADDRESS = 12 * 1024


@schemathesis.hook
def filter_case(context, case):
    return len(urlencode(case.query or {}, doseq=True, errors="replace")) < LONGEST_ADDRESS
