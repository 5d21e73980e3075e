"""The commands that show people a decision (OSDP 2.2: LED, BUZ, OUT), in libosdp's fields."""

from __future__ import annotations

from typing import Any

from hardware.readers.binding import osdp_sys
from hardware.readers.reader import LedColor

_OUTPUT_PULSE = 5  # osdp_OUT control code: on for the timer's time, then back
_LED_TEMPORARY = 2  # osdp_LED temporary control code: set and start the timer
_OUTPUT_OFF_AFTER = 3  # osdp_OUT control code: off for good, allow a timed operation to complete
_LED_PERMANENT = 1  # osdp_LED permanent control code: set
_BUZZER_OFF = 1  # osdp_BUZ tone code: no tone
_BUZZER_DEFAULT = 2  # osdp_BUZ tone code: default tone

PROFILE = ("led", "buzzer", "output")
"""What a reader must be able to do to show people a decision."""


def at_rest() -> tuple[dict[str, Any], ...]:
    """Lamp dark, buzzer silent, output off once a running pulse has ended: any light or sound is then an answer."""
    return (
        {
            "command": osdp_sys.CMD_LED,
            "reader": 0,
            "led_number": 0,
            "temporary": False,
            "control_code": _LED_PERMANENT,
            "on_count": 1,
            "off_count": 0,
            "on_color": int(LedColor.OFF),
            "off_color": int(LedColor.OFF),
            "timer_count": 0,
        },
        {
            "command": osdp_sys.CMD_BUZZER,
            "reader": 0,
            "control_code": _BUZZER_OFF,
            "on_count": 1,
            "off_count": 0,
            "rep_count": 1,
        },
        {"command": osdp_sys.CMD_OUTPUT, "output_no": 0, "control_code": _OUTPUT_OFF_AFTER, "timer_count": 0},
    )


def led_fields(color: LedColor, tenths: int) -> dict[str, Any]:
    """The lamp in this colour for so many tenths of a second."""
    return {
        "command": osdp_sys.CMD_LED,
        "reader": 0,
        "led_number": 0,
        "temporary": True,
        "control_code": _LED_TEMPORARY,
        "on_count": 1,
        "off_count": 0,
        "on_color": int(color),
        "off_color": int(LedColor.OFF),
        "timer_count": tenths,
    }


def beep_fields(count: int) -> dict[str, Any]:
    """So many beeps."""
    return {
        "command": osdp_sys.CMD_BUZZER,
        "reader": 0,
        "control_code": _BUZZER_DEFAULT,
        "on_count": 2,
        "off_count": 2,
        "rep_count": count,
    }


def pulse_fields(tenths: int) -> dict[str, Any]:
    """The door's output on for so many tenths of a second, then back."""
    return {"command": osdp_sys.CMD_OUTPUT, "output_no": 0, "control_code": _OUTPUT_PULSE, "timer_count": tenths}
