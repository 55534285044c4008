import { drawBars } from './barcode';
import { type LabelContent, type LabelElement, layOutLabel } from './label-layout';
import { mm, PdfDrawing } from './pdf-drawing';

/** Sheet sizes of labels. */
export type LabelSize = '4x6' | 'A6' | 'A4';

const SHEETS: Readonly<
  Record<LabelSize, { page: [number, number]; label: { width: number; height: number }; across: number; down: number }>
> = {
  '4x6': { page: [288, 432], label: { width: 288, height: 432 }, across: 1, down: 1 },
  A6: { page: [mm(105), mm(148)], label: { width: mm(105), height: mm(148) }, across: 1, down: 1 },
  // Four A6 labels on an A4 sheet, which is cut along its centre lines.
  A4: { page: [mm(210), mm(297)], label: { width: mm(105), height: mm(148) }, across: 2, down: 2 },
};

function drawElement(pdf: PdfDrawing, element: LabelElement, dx: number, dy: number): void {
  switch (element.kind) {
    case 'text':
      pdf.line(element.text, dx + element.x, dy + element.y, {
        size: element.size,
        weight: element.weight,
        color: element.inverse ? '#ffffff' : '#000000',
      });
      return;
    case 'bar':
      pdf.fill(dx + element.x, dy + element.y, element.width, element.height);
      return;
    case 'barcode': {
      const { symbol, height, moduleWidth } = element;
      drawBars(pdf, symbol, { x: dx + element.x, y: dy + element.y, height, moduleWidth });
    }
  }
}

/** Renders labels as one PDF, in the given order: one per page, or four per A4 sheet. */
export async function renderLabelPdf(labels: readonly LabelContent[], size: LabelSize = '4x6'): Promise<Buffer> {
  const sheet = SHEETS[size];
  const perPage = sheet.across * sheet.down;
  const pdf = new PdfDrawing(labels[0]?.receiver.country ?? '', {
    title: `Label ${labels.map(({ barcode }) => barcode.value).join(', ')}`,
    page: sheet.page,
  });
  labels.forEach((label, index) => {
    const place = index % perPage;
    if (place === 0) pdf.addPage();
    const dx = (place % sheet.across) * sheet.label.width;
    const dy = Math.floor(place / sheet.across) * sheet.label.height;
    for (const element of layOutLabel(label, sheet.label)) drawElement(pdf, element, dx, dy);
  });
  return await pdf.finish();
}
