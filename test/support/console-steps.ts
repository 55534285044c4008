import type { Locator, Page } from 'playwright-core';

/** Steps of an operator in the console, for tests of several screens. */

/** How a step clicks. A test can count the clicks. */
export type Click = (target: Locator) => Promise<void>;

const clickOnce: Click = (target) => target.click();

/** Opens the dialog of a repair. Its title is the text of the button, unless `title` says otherwise. */
export async function repairDialog(
  page: Page,
  button: string,
  { title = button, click = clickOnce }: { readonly title?: string; readonly click?: Click } = {},
): Promise<Locator> {
  await click(page.getByRole('main').getByRole('button', { name: button, exact: true }));
  return page.getByRole('dialog', { name: title });
}

/** Opens the dialog that replaces the file of the poster of an order, with the address of the new file filled in. */
export async function replacementDialog(page: Page, url: string, click?: Click): Promise<Locator> {
  const title = 'Replace';
  const dialog = await repairDialog(
    page,
    'Replace the file default of poster',
    click === undefined ? { title } : { title, click },
  );
  await dialog.getByLabel('Address of the new file').fill(url);
  return dialog;
}

/** Fills in the reason in the dialog of a repair and submits it. */
export async function repairWith(dialog: Locator, button: string, reason: string, click = clickOnce): Promise<void> {
  const submit = dialog.getByRole('button', { name: button });
  expect(await submit.isDisabled()).toBe(true);
  await dialog.getByLabel('Reason').fill(reason);
  await click(submit);
}

/** Fills in the dialog "Go to", which a key opens. Returns the dialog. */
export async function goTo(page: Page, text: string): Promise<Locator> {
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  await dialog.getByLabel('Go to', { exact: true }).fill(text);
  return dialog;
}
