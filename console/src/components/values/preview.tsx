import { Image } from '@mantine/core';
import * as texts from '../../texts';

/** The preview image of a product model, which operators place at any address. */
export function Preview({ url, name }: { readonly url: string | undefined; readonly name: string }) {
  if (url === undefined || url === '') return texts.common.none;
  return (
    <Image
      src={url}
      alt={texts.catalog.preview(name)}
      w={48}
      h={48}
      fit="contain"
      loading="lazy"
      referrerPolicy="no-referrer"
    />
  );
}
