import { Text } from '@mantine/core';
import { Screen } from '../../components/layout/screen';
import { Link } from '../../components/values/link';
import { texts } from '../../texts';

export function NotFound() {
  const { title, text, link } = texts.common.notFound;
  return (
    <Screen title={title}>
      <Text>{text}</Text>
      <Link to="/">{link}</Link>
    </Screen>
  );
}
