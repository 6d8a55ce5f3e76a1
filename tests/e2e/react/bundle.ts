import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build, type BuildOptions } from 'esbuild'

const require = createRequire(import.meta.url)
const folderOf = (name: string): string => dirname(require.resolve(`${name}/package.json`))

export type ReactVersion = '18' | '19'
export const VERSIONS: readonly ReactVersion[] = ['18', '19']

/**
 * Bundles a file of this folder with our sources and one version of React, which is the only one in
 * it.
 */
export async function bundleWith(
  version: ReactVersion,
  file: string,
  options: BuildOptions = {},
): Promise<string> {
  const ending = version === '19' ? '' : `-${version}`
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, file)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    jsx: 'automatic',
    conditions: ['@amodal/source'],
    alias: { react: folderOf(`react${ending}`), 'react-dom': folderOf(`react-dom${ending}`) },
    // warnings of React are in its development version
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'error',
    ...options,
  })
  return outputFiles?.[0]?.text ?? ''
}
