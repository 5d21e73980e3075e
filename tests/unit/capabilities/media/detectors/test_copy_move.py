"""Copy-move: copies that are moved, turned, scaled or mirrored, and what only looks like copies."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.detectors import copy_move
from app.capabilities.media.detectors.copy_move import FoundCopy, copy_moves
from app.capabilities.media.detectors.image import DecodedImage

Grey = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

SIDE = 112
PLACE = (40, 56)
"""Left and top of the copied square."""


def _scene(height: int = 320, width: int = 400, seed: int = 31, sizes: tuple[float, ...] = (2.5, 5, 10)) -> Grey:
    """Shapes of several sizes, none twice."""
    drawn = np.random.default_rng(seed)
    scene = sum(cv2.GaussianBlur(drawn.normal(0, 60 * size, (height, width)), (0, 0), size) for size in sizes)
    return np.clip(128 + np.asarray(scene), 0, 255).astype(np.uint8)


def _pressed(grey: Grey, quality: int = 92) -> DecodedImage:
    """The image after JPEG."""
    _, data = cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, quality])
    rgb = cv2.cvtColor(cv2.imdecode(data, cv2.IMREAD_GRAYSCALE), cv2.COLOR_GRAY2RGB)
    return DecodedImage(np.asarray(rgb, np.uint8))


def _grey(grey: Grey) -> DecodedImage:
    return DecodedImage(np.repeat(grey[:, :, None], 3, axis=2))


def _similarity(to: tuple[float, float], scale: float = 1, degrees: float = 0, mirrored: bool = False) -> Matrix:
    """Takes the middle of the copied square to ``to``."""
    angle = np.deg2rad(degrees)
    linear = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    if mirrored:
        linear = linear @ np.diag([-1.0, 1.0])
    middle = np.array(PLACE) + (SIDE - 1) / 2
    return np.column_stack([linear, np.array(to) - linear @ middle])


def _square(grey: Grey) -> Grey:
    mask = np.zeros_like(grey)
    mask[PLACE[1] : PLACE[1] + SIDE, PLACE[0] : PLACE[0] + SIDE] = 1
    return mask


def _pasted(scene: Grey, onto: Grey, matrix: Matrix) -> tuple[Grey, Mask]:
    """``onto`` with the square of ``scene`` where the similarity takes it, and the px that are pasted."""
    size = scene.shape[::-1]
    pasted = cv2.warpAffine(_square(scene), matrix, size, flags=cv2.INTER_NEAREST) > 0
    return np.where(pasted, cv2.warpAffine(scene, matrix, size, flags=cv2.INTER_CUBIC), onto).astype(np.uint8), pasted


def _share(found: Mask, true: Mask) -> float:
    """Intersection over union, the truth by blocks that are more than half in it."""
    rows, columns = found.shape
    blocks = true[: rows * 8, : columns * 8].reshape(rows, 8, columns, 8).mean(axis=(1, 3)) > 0.5
    return float((found & blocks).sum() / (found | blocks).sum())


def _forth(found: FoundCopy, matrix: Matrix) -> bool:
    """Whether it was found from the square to the copy, rather than back."""
    corner = np.array([*PLACE, 1.0])
    return bool(np.linalg.norm(found.similarity @ corner - matrix @ corner) < 20)


def _judge(found: FoundCopy, matrix: Matrix, square: Mask, pasted: Mask) -> None:
    """The found similarity is the true one or its inverse to .6 px on the square; so are both masks."""
    if not _forth(found, matrix):
        found = FoundCopy(cv2.invertAffineTransform(found.similarity), found.inliers, found.copy, found.source)
    for x, y in ((0, 0), (SIDE, 0), (0, SIDE), (SIDE, SIDE)):
        corner = np.array([PLACE[0] + x, PLACE[1] + y, 1.0])
        assert np.linalg.norm(found.similarity @ corner - matrix @ corner) < 0.6
    assert _share(found.source, square) > 0.75
    assert _share(found.copy, pasted) > 0.75


@pytest.mark.parametrize(
    "matrix",
    [
        _similarity((300, 200)),
        _similarity((300, 160), degrees=20),
        _similarity((300, 160), scale=0.8),
        _similarity((290, 160), scale=1.5, degrees=-50),
        _similarity((300, 200), mirrored=True),
        _similarity((300, 160), scale=0.8, degrees=20, mirrored=True),
    ],
    ids=["moved", "turned", "scaled", "enlarged", "mirrored", "mirrored and turned"],
)
def test_a_copy_is_found_with_its_similarity_and_masks(matrix: Matrix) -> None:
    """After JPEG, alone, and with many inliers."""
    scene = _scene()
    changed, pasted = _pasted(scene, scene, matrix)
    (found,) = copy_moves(_pressed(changed))
    _judge(found, matrix, _square(scene) > 0, pasted)
    assert 30 < found.inliers < 2000
    assert found.source.shape == found.copy.shape == (40, 50)
    assert (np.linalg.det(found.similarity[:, :2]) < 0) == (np.linalg.det(matrix[:, :2]) < 0)


def test_two_copies_are_found() -> None:
    """Each by a similarity of its own."""
    scene = _scene()
    near, far = _similarity((300, 90), degrees=20), _similarity((300, 240), scale=0.8)
    changed, first = _pasted(scene, scene, near)
    changed, second = _pasted(scene, changed, far)
    found = copy_moves(_pressed(changed))
    assert 2 <= len(found) <= 3
    for pasted in (first, second):
        assert any(max(_share(one.copy, pasted), _share(one.source, pasted)) > 0.7 for one in found)


def test_two_copies_that_are_the_same_are_found() -> None:
    """Each keypoint has two matches that are equally near: all three pairs of places are found."""
    scene = _scene()
    changed, _ = _pasted(scene, scene, _similarity((300, 90)))
    changed, _ = _pasted(scene, changed, _similarity((280, 240)))
    assert len(copy_moves(_grey(changed))) == 3


def test_plain_copies_come_before_mirrored_ones() -> None:
    """Of one place, one copy each."""
    scene = _scene()
    changed, _ = _pasted(scene, scene, _similarity((300, 90), mirrored=True))
    changed, _ = _pasted(scene, changed, _similarity((280, 240)))
    signs = [float(np.sign(np.linalg.det(one.similarity[:, :2]))) for one in copy_moves(_grey(changed))]
    assert signs == [1, -1, -1]


def test_a_third_copy_makes_it_a_pattern() -> None:
    """Of three copies of one place, at sizes that the descriptors still tell apart, nothing is said."""
    scene = _scene(360, 480)
    changed = scene
    for matrix in (
        _similarity((240, 110)),
        _similarity((380, 110), scale=0.8, degrees=40),
        _similarity((300, 270), scale=1.2, degrees=-60),
    ):
        changed, _ = _pasted(scene, changed, matrix)
    assert copy_moves(_pressed(changed)) == ()


@pytest.mark.parametrize("quality", [100, 80])
def test_tiles_are_no_copies(quality: int) -> None:
    """A wall of them repeats too often."""
    assert copy_moves(_pressed(np.tile(_scene(61, 67), (5, 6)), quality)) == ()


def test_a_scene_without_copies_shows_nothing() -> None:
    """Nothing is found where nothing is twice."""
    assert copy_moves(_pressed(_scene())) == ()


@pytest.mark.parametrize("shape", [(64, 80), (3, 3)])
def test_a_plain_image_shows_nothing(shape: tuple[int, int]) -> None:
    """It has no keypoints."""
    assert copy_moves(DecodedImage(np.full((*shape, 3), 200, np.uint8))) == ()


def _fine() -> Grey:
    """Shapes of a few px."""
    return _scene(200, 160, sizes=(1.2, 2.5))


@pytest.mark.parametrize(("shift", "times"), [(27, 0), (29, 1)])
def test_a_copy_beside_its_source_does_not_count(shift: int, times: int) -> None:
    """28 px apart is the least: smears and shadows repeat nearer."""
    changed = _fine()
    changed[10:190, 60 + shift : 82 + shift] = changed[10:190, 60:82]
    assert len(copy_moves(_grey(changed))) == times


@pytest.mark.parametrize(("side", "times"), [(24, 0), (30, 1)])
def test_a_few_matches_do_not_count(side: int, times: int) -> None:
    """Eight are the least; the patches have five and twelve."""
    changed = _fine()
    changed[60 : 60 + side, 100 : 100 + side] = changed[60 : 60 + side, 30 : 30 + side]
    assert len(copy_moves(_grey(changed))) == times


def test_what_only_looks_alike_does_not_count() -> None:
    """A copy that is bent by up to 3 px is another thing of the same kind."""
    scene = _scene()
    changed, _ = _pasted(scene, scene, _similarity((300, 200)))
    assert copy_moves(_pressed(changed))
    y, x = np.indices(scene.shape).astype(np.float32)
    bent = cv2.remap(scene, x + 2.5 * np.sin(y / 9), y + 2.5 * np.sin(x / 11), cv2.INTER_CUBIC)
    changed, _ = _pasted(bent, scene, _similarity((300, 200)))
    assert copy_moves(_pressed(changed)) == ()


def test_three_at_equal_steps_are_a_pattern() -> None:
    """The same step leads from the first to the second and on to the third."""
    scene = _scene()
    changed = scene.copy()
    for left in (130, 260):
        changed[100:200, left : left + 90] = scene[100:200, :90]
    assert copy_moves(_pressed(changed)) == ()


def test_a_large_image_is_searched_in_a_smaller_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """The similarity is that of its own px, and the masks have its own grid."""
    assert copy_move.MOST_PIXELS == 2_000_000
    monkeypatch.setattr(copy_move, "MOST_PIXELS", 60_000)
    scene = _scene()
    matrix = _similarity((300.0, 160.0), scale=0.8, degrees=20)
    changed, pasted = _pasted(scene, scene, matrix)
    (found,) = copy_moves(_pressed(changed))
    _judge(found, matrix, _square(scene) > 0, pasted)


def test_the_same_image_gives_the_same_copies() -> None:
    """No chance is in it."""
    scene = _scene()
    image = _pressed(_pasted(scene, scene, _similarity((300, 160), scale=0.8, degrees=20))[0])
    (first,), (again,) = copy_moves(image), copy_moves(image)
    assert first.inliers == again.inliers
    for name in ("similarity", "source", "copy"):
        assert np.array_equal(getattr(first, name), getattr(again, name))
