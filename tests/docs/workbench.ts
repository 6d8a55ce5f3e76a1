import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './pages.ts'

const TSC = join(ROOT, 'node_modules/typescript-native/bin/tsc')
const ERROR = /^([^(\n]+)\((\d+),\d+\): error (TS\d+): (.*)$/gm

export interface TypeProblem {
  readonly file: string
  readonly line: number
  readonly code: string
  readonly message: string
}

/**
 * A folder outside of the repository in which code finds what the tests can import, and every
 * plugin by its name.
 */
export class Workbench {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'amodal-docs-')))

  constructor() {
    symlinkSync(join(ROOT, 'tests/node_modules'), join(this.folder, 'node_modules'))
    this.write('package.json', '{ "type": "module" }\n')
  }

  write(file: string, text: string): string {
    const path = join(this.folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }

  /** Checks every TypeScript file in the folder, by the rules of the repository, in one run. */
  async typeCheck(
    options: Readonly<Record<string, boolean>> = {},
  ): Promise<readonly TypeProblem[]> {
    this.write(
      'tsconfig.json',
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: {
          noUnusedLocals: false,
          noUnusedParameters: false, // an example shows a value and leaves its use to the reader
          ...options,
          typeRoots: [join(ROOT, 'node_modules/@types')],
          paths: {
            '@amodal/plugin-*/tokens': [join(ROOT, 'plugins/*/src/tokens.ts')],
            '@amodal/plugin-*': [join(ROOT, 'plugins/*/src/index.ts')],
          },
        },
        include: ['**/*.ts', '**/*.tsx'],
        exclude: ['node_modules'],
      }),
    )
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [TSC, '-p', '.', '--noEmit', '--pretty', 'false'],
      { cwd: this.folder, maxBuffer: 1 << 26 },
    ).catch((cause: Error & { readonly stdout?: string }) => ({
      stdout: cause.stdout ?? cause.message,
    }))
    const found = [...stdout.matchAll(ERROR)].map(
      ([, file = '', line = '', code = '', message = '']) => ({
        file,
        line: Number(line),
        code,
        message,
      }),
    )
    // Errors in the sources themselves are for the check of the sources. Anything else that ends it
    // is not to be missed.
    if (found.length === 0 && /error TS/.test(stdout))
      throw new Error(`the type check did not run:\n${stdout}`)
    return found.filter(({ file }) => !file.startsWith('..'))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
