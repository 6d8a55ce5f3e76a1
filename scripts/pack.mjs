import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runChild } from './lib/child.mjs'
import { Stopped } from './lib/stopped.mjs'

const PUBLISHED = [
  './kernel',
  './sdk',
  './sdk/react',
  './sdk/widget',
  './presets',
  './cli',
  './cli/create-*',
  './plugins/*',
].flatMap((folder) => ['--filter', folder])

/**
 * `npm run pack -- DIR`: a tarball of each package that is published, and what all of them are made
 * of.
 *
 * @param {string} root
 * @param {string} here where the person stands
 * @param {import('./lib/tools.mjs').Tools} tools
 * @param {string[]} args
 * @returns {Promise<number>}
 * @see https://cyclonedx.org/docs/1.7/json/
 */
export async function pack(root, here, tools, args) {
  const [dir, ...more] = args
  if (dir === undefined || dir.startsWith('-') || more.length > 0)
    throw new Stopped('say where to: npm run pack -- DIR')
  const to = resolve(here, dir)
  mkdirSync(to, { recursive: true })
  const built = await runChild(tools.node, [join(root, 'scripts/build.mjs'), '--types', '--tidy'], {
    cwd: root,
    env: tools.env,
  })
  if (built !== 0) return built
  const run = (/** @type {string[]} */ line) =>
    runChild(tools.pnpm, line, { cwd: root, env: tools.env })
  const bill = await run([
    ...PUBLISHED,
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--prod',
    '--lockfile-only',
    '--out',
    join(to, 'sbom.cdx.json'),
  ])
  if (bill !== 0) return bill
  const packed = await run([
    '--recursive',
    '--silent',
    ...PUBLISHED,
    'pack',
    '--pack-destination',
    to,
  ])
  if (packed === 0)
    process.stdout.write(
      `${to}: tarballs, and sbom.cdx.json (CycloneDX) of what they are made of\n`,
    )
  return packed
}
