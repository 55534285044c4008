import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** Colours have at least the contrast of WCAG 2.1 AA against the surfaces that they are used on. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  fontFamily: 'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.5rem', lineHeight: '1.3' }, h2: { fontSize: '1rem', lineHeight: '1.4' } },
  },
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Tooltip: { defaultProps: { openDelay: 300 } },
    Modal: { defaultProps: { centered: true, transitionProps: { duration: 0 } } },
    Paper: { defaultProps: { withBorder: true } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#575e66',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-error': '#b42318',
    '--mantine-color-anchor': '#3b4cca',
    '--mantine-color-body': '#ffffff',
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb8',
    '--mantine-color-placeholder': '#9aa3b2',
    '--mantine-color-error': '#fda29b',
    '--mantine-color-anchor': '#a5b4fc',
    '--mantine-color-body': '#111318',
    '--mantine-color-text': '#e4e7ec',
  },
});
