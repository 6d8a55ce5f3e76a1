import { execFile } from 'node:child_process'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { allPages } from '../docs/pages.ts'
import { startNext, type NextServer } from '../support/next-server.ts'

const run = promisify(execFile)
const PAGE = 'docs/embed-it.md'
const ROUTE = 'app/api/ask/route.ts'
const CONFIG = 'next.config.mjs'
/** Those that Next.js builds with. */
export const BUNDLERS = ['turbopack', 'webpack'] as const

/** A file of the example on the page, which begins with its name. */
function fromPage(name: string): string {
  const block = allPages()
    .find(({ path }) => path === PAGE)
    ?.blocks.find(({ text }) => text.startsWith(`// ${name}\n`))
  if (block === undefined) throw new Error(`${PAGE} has no block that begins with // ${name}`)
  return block.text
}

/** The files of an app of Next.js that has the route of the page, and an agent. */
export async function writeNextApp(folder: string): Promise<void> {
  // JavaScript, since Next.js wants the compiler and the types of React installed for TypeScript
  const { code } = await transform(fromPage(ROUTE), { loader: 'ts', format: 'esm' })
  const files = {
    'package.json': '{"name":"site","version":"1.0.0","private":true}',
    [CONFIG]: fromPage(CONFIG),
    [ROUTE.replace('.ts', '.js')]: code,
    'app/layout.js':
      'export default ({ children }) => <html lang="en"><body>{children}</body></html>',
    'app/page.js': 'export default () => <p>Hello</p>',
    'my-agent/amodal.json': '{"name":"helper"}',
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/**
 * Builds the app, and takes its standalone output to where nothing of the app is.
 *
 * @returns the folder of the output
 */
export async function buildNextApp(
  folder: string,
  bundler: (typeof BUNDLERS)[number],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  await run(process.execPath, ['node_modules/next/dist/bin/next', 'build', `--${bundler}`], {
    cwd: folder,
    env: { ...env, NEXT_TELEMETRY_DISABLED: '1', CI: '1' },
  })
  const standalone = `${folder}-${bundler}`
  await rename(join(folder, '.next/standalone'), standalone)
  return standalone
}

/** The server of a standalone output, once it takes requests. */
export const startNextApp = (
  standalone: string,
  env: Readonly<Record<string, string>>,
): Promise<NextServer> => startNext(['server.js'], standalone, env)
