import { sourceFiles } from '../pages.ts'

const CATALOGUES: ReadonlySet<string> = new Set(['kernel/src/errors.ts', 'sdk/src/errors.ts'])

/** Descriptions of routes name the codes of the plugins behind them. */
const isDescription = (path: string): boolean => /-docs\.ts$/.test(path)

const product = sourceFiles('kernel', 'sdk', 'plugins', 'presets').filter(
  ({ path }) =>
    !CATALOGUES.has(path) && !isDescription(path) && !path.startsWith('sdk/src/testing/'),
)

/** Plugins, or `kernel`, `sdk` or `presets`, whose code has this text in it. */
export function partsNaming(text: string): readonly string[] {
  const parts = product.filter((file) => file.text.includes(text)).map(({ path }) => partOf(path))
  return [...new Set(parts)].toSorted()
}

function partOf(path: string): string {
  const [folder = '', name = ''] = path.split('/')
  return folder === 'plugins' ? name : folder
}
