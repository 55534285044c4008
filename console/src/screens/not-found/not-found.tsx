import { Text } from '@mantine/core';
import { Link } from '../../components/link';
import { Screen } from '../../components/screen';
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
