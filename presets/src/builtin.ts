import type { Preset } from './define-preset.ts'
import type { Load } from './load.ts'

/** Presets by name, loaded when they are chosen. */
export const PRESETS: Readonly<Record<string, Load<Preset>>> = {
  embedded: () => import('./embedded.ts'),
  dev: () => import('./dev.ts'),
  production: () => import('./production.ts'),
}

export { OPT_IN, PLUGINS, PROVIDERS } from './builtin-plugins.ts'
