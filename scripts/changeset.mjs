import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from './lib/child.mjs'
import { declareRepository, followVersion } from './lib/releases.mjs'
import { Stopped } from './lib/stopped.mjs'

/**
 * `npm run changeset`: writes down what is to be released. With `version` it gives all packages
 * their next version, with `publish` it builds and publishes those that are not on npm yet.
 *
 * @param {string} root
 * @param {import('./lib/tools.mjs').Tools} tools
 * @param {string[]} args of the command line of Changesets
 * @returns {Promise<number>}
 */
export async function changeset(root, tools, args) {
  const run = (/** @type {string} */ file, /** @type {string[]} */ ...more) =>
    runChild(tools.node, [join(root, file), ...more], { cwd: root, env: tools.env })
  const changesets = (/** @type {string[]} */ ...more) =>
    run('node_modules/@changesets/cli/bin.js', ...args, ...more)
  switch (args[0]) {
    case 'version': {
      const code = await changesets()
      if (code !== 0) return code
      followVersion(root)
      return run('tests/docs/generate.ts')
    }
    case 'publish': {
      forWorkflow(root)
      const code = await run('scripts/build.mjs', '--types', '--tidy')
      // the tag of the whole is there already: it began the release
      return code === 0 ? changesets('--no-git-tag') : code
    }
    default:
      return changesets()
  }
}

/**
 * Where a workflow publishes: that its tag is the version of the packages, and that they say which
 * repository they come from.
 *
 * @param {string} root
 */
function forWorkflow(root) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_REF_NAME: tag } = process.env
  if (server === undefined || name === undefined) return
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  if (tag !== `v${version}`)
    throw new Stopped(`The packages have version ${version}, and the tag is ${tag}.`)
  declareRepository(root, `${server}/${name}`)
}
