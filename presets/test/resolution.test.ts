import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'one/main.ts': "import version from 'dependency'\nimport { name } from '../shared/name.ts'\nexport const said: string = `${name} ${version}`\n",
  'two/main.ts': "import version from 'dependency'\nimport { name } from '../shared/name.ts'\nimport plain from './plain.js'\nexport const said: string = `${name} ${version} ${plain}`\n",
  'two/plain.js': "export default 'plain'\n",
  'two/missing.ts': "export const said = (await import('./nowhere.ts').catch((cause) => 'not found'))\n",
  'shared/name.ts': "export const name: string = 'dependency'\n",
  'one/node_modules/dependency/package.json': '{ "type": "module", "exports": "./index.js" }',
  'one/node_modules/dependency/index.js': "export { default } from './version.js'\n",
  'one/node_modules/dependency/version.js': "export default 'of one'\n",
  'two/node_modules/dependency/package.json': '{ "main": "index.cjs" }',
  'two/node_modules/dependency/index.cjs': "module.exports = require('./version.cjs')\n",
  'two/node_modules/dependency/version.cjs': "module.exports = 'of two'\n",
}

let root: string
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'amodal-resolution-')))
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** What a file says that a process of its own imports, with the lookups shortened or as they are. */
async function said(file: string, quickly: boolean): Promise<string> {
  const resolution = new URL('../src/resolution.ts', import.meta.url).href
  const lines = [
    ...(quickly ? [`import { resolveQuickly } from ${JSON.stringify(resolution)}`, `resolveQuickly(${JSON.stringify(`${pathToFileURL(root).href}/`)})`] : []),
    `console.log((await import(${JSON.stringify(pathToFileURL(join(root, file)).href)})).said)`,
  ]
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', lines.join('\n')])
  return stdout.trim()
}

test.each([
  ['one/main.ts', 'dependency of one'],
  ['two/main.ts', 'dependency of two plain'],
  ['two/missing.ts', 'not found'],
])('%s finds with short lookups what Node finds', async (file, expected) => {
  expect(await said(file, false)).toBe(expected)
  expect(await said(file, true)).toBe(expected)
})
