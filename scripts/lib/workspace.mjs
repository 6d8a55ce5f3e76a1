import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childResult } from './child.mjs'
import { withLock } from './lock.mjs'
import { stalePackages } from './packages.mjs'
import { Stopped } from './stopped.mjs'

/** Without it there is nothing to build. */
const RECIPE = 'tsup.config.ts'

/**
 * Install the workspace where its lockfile or a manifest changed since the last time; otherwise a
 * few milliseconds.
 *
 * @param {string} root
 * @param {import('./tools.mjs').Tools} tools
 * @param {{ frozen?: boolean }} [options] `frozen: false` lets the lockfile follow a new manifest
 */
export async function installWorkspace(root, tools, { frozen = true } = {}) {
  if (isInstalled(root)) return
  await withLock(
    join(root, '.tools', 'install.lock'),
    async (alsoHeldBy) => {
      if (isInstalled(root)) return
      const begin = Date.now()
      process.stderr.write('Installing dependencies …\n')
      // an install that is cut short must not look finished
      rmSync(stampFile(root), { force: true })
      const flag = frozen ? '--frozen-lockfile' : '--no-frozen-lockfile'
      const { code, output } = await childResult(tools.pnpm, ['install', flag], {
        cwd: root,
        env: tools.env,
        capture: true,
        onStart: alsoHeldBy,
      })
      if (code !== 0) throw new Stopped(`${output}\n${explain(output)}`, code)
      await build(root, tools, alsoHeldBy)
      await prepare(root, tools, alsoHeldBy)
      writeFileSync(stampFile(root), fingerprint(root))
      process.stderr.write(`Installed in ${((Date.now() - begin) / 1000).toFixed(1)} s.\n`)
    },
    () => process.stderr.write('Waiting for another install to finish …\n'),
  )
}

/**
 * Build the packages whose sources have changed; otherwise a few milliseconds.
 *
 * @param {string} root
 * @param {import('./tools.mjs').Tools} tools
 */
export async function buildPackages(root, tools) {
  if (!existsSync(join(root, RECIPE)) || stalePackages(root).length === 0) return
  await withLock(
    join(root, '.tools', 'install.lock'),
    (alsoHeldBy) => build(root, tools, alsoHeldBy),
    () => process.stderr.write('Waiting for another build to finish …\n'),
  )
}

/**
 * @param {string} root
 * @param {import('./tools.mjs').Tools} tools
 * @param {(pid: number) => void} onStart
 */
async function build(root, tools, onStart) {
  if (!existsSync(join(root, RECIPE))) return
  const { code, output } = await childResult(tools.node, [join(root, 'scripts', 'build.mjs')], {
    cwd: root,
    env: tools.env,
    capture: true,
    deadlineMs: 120_000,
    onStart,
  })
  if (code !== 0) throw new Stopped(`The packages could not be built:\n${output}`, code)
}

/**
 * Do what every first start would have to do: have its code compiled, and make its tables. Where
 * that fails, nothing is lost but the time, and the first start says why.
 *
 * @param {string} root
 * @param {import('./tools.mjs').Tools} tools
 * @param {(pid: number) => void} onStart
 */
async function prepare(root, tools, onStart) {
  const [script, agent] = [
    join(root, 'cli', 'scripts', 'prepare.ts'),
    join(root, 'examples', 'ops-agent'),
  ]
  if (!existsSync(script) || !existsSync(agent)) return
  const { code, output } = await childResult(tools.node, [script, agent], {
    cwd: root,
    env: tools.env,
    capture: true,
    deadlineMs: 90_000,
    onStart,
  })
  if (code !== 0)
    process.stderr.write(
      `The first start will take a second longer, since it could not be prepared:\n${output}\n`,
    )
}

/** @param {string} output */
const explain = (output) =>
  /OUTDATED_LOCKFILE|NO_IMPORTER/.test(output)
    ? 'A package.json and pnpm-lock.yaml disagree: run `npm run pnpm -- install` and commit the lockfile.'
    : 'pnpm could not install the dependencies; see above.'

/** @param {string} root */
const stampFile = (root) => join(root, '.tools', 'installed')

/** @param {string} root */
export function isInstalled(root) {
  const stamp = stampFile(root)
  return (
    existsSync(stamp) &&
    existsSync(join(root, 'node_modules', '.modules.yaml')) &&
    readFileSync(stamp, 'utf8') === fingerprint(root)
  )
}

/** @param {string} root */
function fingerprint(root) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}\n`)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests(root)])
    hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

/**
 * @param {string} root
 * @returns {string[]} every package.json of the workspace, relative to the root
 */
function manifests(root) {
  const list =
    /^packages:\n((?:[ ]+- .*\n)+)/m.exec(
      readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'),
    )?.[1] ?? ''
  const folders = [...list.matchAll(/- ['"]?([^'"\n]+)/g)].flatMap(([, pattern = '']) =>
    pattern.endsWith('/*') ? subfolders(root, pattern.slice(0, -2)) : [pattern],
  )
  return [
    'package.json',
    ...folders
      .map((folder) => join(folder, 'package.json'))
      .filter((file) => existsSync(join(root, file)))
      .sort(),
  ]
}

/** @param {string} root @param {string} parent */
function subfolders(root, parent) {
  if (!existsSync(join(root, parent))) return []
  return readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(parent, entry.name))
}
