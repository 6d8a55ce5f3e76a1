import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareTools } from './tools.mjs'
import { buildPackages } from './workspace.mjs'

/** Before the first test: tests start servers, and those run what is built. */
export default async function setup() {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
  await buildPackages(root, await prepareTools(root))
}
