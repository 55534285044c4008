import { Button, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import type { ApiResponse } from '../../../api/types';
import * as texts from '../../../texts';
import styles from './page-proof.module.css';

type File = ApiResponse<'listOrderDocuments'>['files'][number];
type Boxes = NonNullable<File['facts']>['boxes'][number];

const t = texts.order.proof;
const MM_PER_POINT = 25.4 / 72;

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The first page as it is shown, with its trim, in millimetres from the upper left corner. */
interface Proof {
  readonly width: number;
  readonly height: number;
  readonly trim: Rect;
}

/** Returns a rectangle that is wider on every side. */
const outset = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x: x - by,
  y: y - by,
  width: Math.max(0, width + 2 * by),
  height: Math.max(0, height + 2 * by),
});

/** Returns a box as the rotated page shows it. */
function shown(box: readonly number[], { cropBox, rotation, userUnit }: Boxes): Rect {
  const [left, bottom, right, top] = box as [number, number, number, number];
  const [cropLeft, cropBottom, cropRight, cropTop] = cropBox as [number, number, number, number];
  const [x, y] = {
    0: [left - cropLeft, cropTop - top],
    90: [bottom - cropBottom, left - cropLeft],
    180: [cropRight - right, bottom - cropBottom],
    270: [cropTop - top, cropRight - right],
  }[rotation] as [number, number];
  const [width, height] = rotation % 180 === 0 ? [right - left, top - bottom] : [top - bottom, right - left];
  const scale = userUnit * MM_PER_POINT;
  return { x: x * scale, y: y * scale, width: width * scale, height: height * scale };
}

/** Returns a size in the middle of a page, turned when the page is. */
function centered({ width, height }: Rect, size: { readonly widthMm: number; readonly heightMm: number }): Rect {
  const isTurned = (width - height) * (size.widthMm - size.heightMm) < 0;
  const [w, h] = isTurned ? [size.heightMm, size.widthMm] : [size.widthMm, size.heightMm];
  return { x: (width - w) / 2, y: (height - h) / 2, width: w, height: h };
}

/** Returns what is drawn of a file. Null: the size of its page, or of its print area, is unknown. */
function proofOf({ facts, area }: File): Proof | null {
  if (facts === null || area === null) return null;
  const boxes = facts.boxes[0];
  if (boxes === undefined) {
    if (area.size === null || area.print === null) return null;
    const page = { x: 0, y: 0, width: area.print.widthMm, height: area.print.heightMm };
    return { ...page, trim: centered(page, area.size) };
  }
  const page = shown(boxes.cropBox, boxes);
  if (boxes.trimBox !== null) return { ...page, trim: shown(boxes.trimBox, boxes) };
  return { ...page, trim: area.size === null || area.otherSize ? page : centered(page, area.size) };
}

/** The button that shows the first page of a file with its trim, bleed and safe area. */
export function PageProof({ file }: { readonly file: File }) {
  const [isOpen, setOpen] = useState(false);
  const proof = proofOf(file);
  const preview = ['preview_default', 'preview_flat']
    .map((type) => file.previews.find((each) => each.type === type))
    .find((found) => found !== undefined);
  if (proof === null || preview === undefined || file.area === null) return null;
  const { width, height, trim } = proof;
  const { bleedMm, safeMarginMm } = file.area;
  const [bleed, safe] = [outset(trim, bleedMm), outset(trim, -safeMarginMm)];
  // The bleed of a page without one is outside the page.
  const left = Math.min(0, bleed.x);
  const top = Math.min(0, bleed.y);
  const right = Math.max(width, bleed.x + bleed.width);
  const bottom = Math.max(height, bleed.y + bleed.height);
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setOpen(true)} aria-label={t.label(file.type)}>
        {t.show}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t.title(file.type)} size="lg">
        <svg
          className={styles.page!}
          viewBox={`${left} ${top} ${right - left} ${bottom - top}`}
          role="img"
          aria-label={t.title(file.type)}
        >
          <image href={preview.url} x={0} y={0} width={width} height={height} preserveAspectRatio="none" />
          <rect {...bleed} className={styles.bleed!} />
          <rect {...trim} className={styles.trim!} />
          <rect {...safe} className={styles.safe!} />
        </svg>
        <Text size="xs" mt="xs">
          {t.legend({ width: trim.width, height: trim.height, bleedMm, safeMarginMm })}
        </Text>
      </Modal>
    </>
  );
}
