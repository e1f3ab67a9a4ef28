"""The success curve as a PNG, for places that show no HTML."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from coevolve.report.data import ReportData
from coevolve.report.geometry import Frame, Mark, curve

_SCALE = 2  # drawn larger and reduced, for smooth edges
_INK, _SOFT, _GRID = (24, 32, 44), (92, 104, 120), (224, 229, 236)
_LINE, _BAND, _PAPER = (11, 110, 100), (213, 235, 231), (255, 255, 255)


def curve_png(data: ReportData, width: int = 1600, height: int = 900) -> bytes:
    """Draw success over wall time with its 95% intervals.

    Args: width, height: of the finished picture, in pixels.
    Returns: the bytes of a PNG. Without any point it says that no round has finished.
    """
    frame = Frame(
        width=width * _SCALE,
        height=height * _SCALE,
        left=130 * _SCALE,
        right=90 * _SCALE,
        top=190 * _SCALE,
        bottom=120 * _SCALE,
    )
    plot = curve(data.rounds, frame, label_gap=120 * _SCALE)
    image = Image.new("RGB", (width * _SCALE, height * _SCALE), _PAPER)
    draw = ImageDraw.Draw(image)
    large, small, tiny = (ImageFont.load_default(size=size * _SCALE) for size in (40, 26, 22))
    draw.text((60 * _SCALE, 48 * _SCALE), _short(data.title, 60), fill=_INK, font=large)
    draw.text(
        (60 * _SCALE, 106 * _SCALE),
        f"Success on {data.curve_on} tasks with 95% intervals    run {_short(data.run_id, 40)}",
        fill=_SOFT,
        font=small,
    )
    right = frame.width - frame.right
    for y, label in plot.y_ticks:
        draw.line([(frame.left, y), (right, y)], fill=_GRID, width=2 * _SCALE)
        draw.text((frame.left - 16 * _SCALE, y), label, fill=_SOFT, font=tiny, anchor="rm")
    bottom = frame.height - frame.bottom
    for x, label in plot.x_ticks:
        draw.text((x, bottom + 14 * _SCALE), label, fill=_SOFT, font=tiny, anchor="ma")
    draw.text(
        ((frame.left + right) / 2, frame.height - 36 * _SCALE),
        plot.x_title,
        fill=_SOFT,
        font=tiny,
        anchor="mm",
    )
    if not plot.marks:
        draw.text(
            (frame.width / 2, (frame.top + bottom) / 2),
            "No round has finished yet",
            fill=_SOFT,
            font=large,
            anchor="mm",
        )
    if len(plot.marks) > 1:
        upper = [(mark.x, mark.y_high) for mark in plot.marks]
        lower = [(mark.x, mark.y_low) for mark in reversed(plot.marks)]
        draw.polygon([*upper, *lower], fill=_BAND)
        line = [(mark.x, mark.y) for mark in plot.marks]
        draw.line(line, fill=_LINE, width=5 * _SCALE, joint="curve")
    for mark in plot.marks:
        draw.line([(mark.x, mark.y_low), (mark.x, mark.y_high)], fill=_LINE, width=2 * _SCALE)
        draw.circle((mark.x, mark.y), 9 * _SCALE, fill=_LINE, outline=_PAPER, width=3 * _SCALE)
        if mark.labelled:
            _label(draw, mark, small, tiny)
    buffer = BytesIO()
    image.resize((width, height), Image.Resampling.LANCZOS).save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()


def _label(
    draw: ImageDraw.ImageDraw,
    mark: Mark,
    large: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    small: ImageFont.FreeTypeFont | ImageFont.ImageFont,
) -> None:
    rate, name = f"{mark.point.success.rate:.0%}", _short(mark.point.label, 14)
    if mark.aside:
        left, base = mark.x + 34 * _SCALE, mark.y - 10 * _SCALE
        draw.text((left, base), rate, fill=_INK, font=large, anchor="ls")
        left += draw.textlength(f"{rate} ", font=large)
        draw.text((left, base), name, fill=_SOFT, font=small, anchor="ls")
        return
    top = mark.y_high - 12 * _SCALE
    draw.text((mark.x, top), name, fill=_SOFT, font=small, anchor="ms")
    draw.text((mark.x, top - 26 * _SCALE), rate, fill=_INK, font=large, anchor="ms")


def _short(text: str, limit: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit - 3]}..."
