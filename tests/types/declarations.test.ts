import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url).pathname

test('the declaration of a plugin is its config, whatever its setup uses', async () => {
  const out = await mkdtemp(join(tmpdir(), 'amodal-types-'))
  try {
    const config = join(out, 'tsconfig.json')
    await writeFile(
      config,
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: {
          noEmit: false,
          declaration: true,
          emitDeclarationOnly: true,
          allowImportingTsExtensions: true,
          outDir: join(out, 'dist'),
          rootDir: root,
          typeRoots: [join(root, 'node_modules/@types')],
        },
        include: [],
        files: [join(root, 'tests/types/plugin-types.ts')],
      }),
    )
    await promisify(execFile)(process.execPath, [
      join(root, 'node_modules/typescript-native/bin/tsc'),
      '-p',
      config,
    ])
    const text = await readFile(join(out, 'dist/tests/types/plugin-types.d.ts'), 'utf8')
    expect(text).toMatch(
      /export declare const typed: Plugin<\{\s+size\?: number \| undefined;\s+tags\?: string\[\] \| undefined;\s+\}>;/,
    )
  } finally {
    await rm(out, { recursive: true, force: true })
  }
})
