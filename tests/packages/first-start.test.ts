import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The esbuild that builds the packages. */
const { transformSync } = createRequire(createRequire(import.meta.url).resolve('tsup'))(
  'esbuild',
) as {
  transformSync(code: string, options: object): { readonly code: string }
}
const cli = join(import.meta.dirname, '../../cli')
const read = (path: string): string => readFileSync(join(cli, path), 'utf8')
const entry = read('src/bin.ts')

/** Starts the command line in a process that takes itself for another version of Node. */
const startedOn = (version: string) =>
  spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`,
      '--conditions=@amodal/source',
      join(cli, 'src/bin.ts'),
      '--version',
    ],
    { encoding: 'utf8' },
  )

test.each(['16.20.2', '20.19.5', '22.17.1'])('on Node %s it says which one it wants', (version) => {
  const { status, stdout, stderr } = startedOn(version)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    new RegExp(
      `^amodal needs Node 22\\.18\\.0 or newer, and this is Node ${version} \\(.+\\)\\.\\n`,
    ),
  )
  expect(stderr).not.toMatch(/SyntaxError|\n {4}at /)
})

test.each(['22.18.0', '24.1.0', '30.0.0'])('on Node %s it starts', (version) => {
  expect(startedOn(version)).toMatchObject({ status: 0, stdout: '0.1.0\n', stderr: '' })
})

test('the file that looks at the version can be read by an old Node', () => {
  expect(entry).not.toMatch(/^\s*(?:import|export)\s(?!\()/m)
  const plain = stripTypeScriptTypes(entry)
  // What esbuild would have to rewrite for 2020 is what a Node of 2020 cannot read.
  const asWritten = (target: string): string =>
    transformSync(plain, { target, format: 'esm', minifyWhitespace: true }).code
  expect(asWritten('es2020')).toBe(asWritten('esnext'))
  const { engines } = JSON.parse(read('package.json')) as { readonly engines: { node: string } }
  expect(`>=${/WANTED = '([\d.]+)'/.exec(entry)?.[1] ?? ''}`).toBe(`${engines.node}.0`)
})
