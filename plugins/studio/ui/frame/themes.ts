import type { Theme } from '../model/tab-storage.ts'
import type { IconName } from '../parts/icons.tsx'
import { STRINGS } from '../strings.ts'

/** What each theme is called, and which one the button leads to. */
export const THEMES: Readonly<
  Record<Theme, { readonly next: Theme; readonly icon: IconName; readonly name: string }>
> = {
  system: { next: 'light', icon: 'system', name: STRINGS.themes.system },
  light: { next: 'dark', icon: 'sun', name: STRINGS.themes.light },
  dark: { next: 'system', icon: 'moon', name: STRINGS.themes.dark },
}
