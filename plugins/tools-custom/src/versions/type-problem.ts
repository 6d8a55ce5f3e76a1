import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { text } from 'node:stream/consumers'
import { err, failure, ok, tryAsync, trySync, type Result } from '@amodal/sdk'
import { z } from 'zod'
import { CHILD, programOf } from '../handlers.ts'
import type { CodeFailure, ProgramSandbox } from '../tokens.ts'

const TYPES_MS = 60_000
const MB = 1_048_576
const Problems = z.array(z.object({ file: z.string(), message: z.string(), line: z.int() }))

/** The folder of the package `typescript`, where it is installed beside this plugin. */
const compilerFolder = (): string | undefined => {
  const found = trySync(
    () => dirname(dirname(fileURLToPath(import.meta.resolve('typescript')))),
    () => undefined,
  )
  return found.ok ? found.value : undefined
}

/**
 * Checks the types of a folder's TypeScript files in a sandbox, since types alone can take any
 * amount of time and memory.
 *
 * @param files relative to the folder
 * @returns whether they were checked; the first problem as an error
 */
export async function typeProblem(
  folder: string,
  files: readonly string[],
  programs: ProgramSandbox,
  signal: AbortSignal,
): Promise<Result<{ readonly types: boolean }, CodeFailure>> {
  const compiler = compilerFolder()
  const sandbox = await programs.prove()
  if (compiler === undefined || !sandbox.ok) return ok({ types: false })
  const node = await realpath(process.execPath)
  const started = await programs.start(
    {
      argv: [
        node,
        '--disable-warning=ExperimentalWarning',
        programOf('types'),
        compiler,
        folder,
        ...files,
      ],
      cwd: folder,
      readable: [CHILD, node, compiler, folder],
      writable: [],
      env: {},
      timeoutMs: TYPES_MS,
      processes: 64,
      fileBytes: MB,
    },
    signal,
  )
  if (!started.ok) return started
  const [output, errors, end] = await Promise.all([
    text(started.value.stdout),
    text(started.value.stderr),
    started.value.ended,
  ])
  const problems = await tryAsync(
    async () => Problems.parse(JSON.parse(output)),
    () => undefined,
  )
  if (end.reason !== 'exited' || end.exitCode !== 0 || !problems.ok)
    return err(
      failure(
        'TOOL_FAILED',
        `its types could not be checked: ${end.message ?? (errors.trim().split('\n').at(-1) || 'the checker ended early')}`,
      ),
    )
  const [problem] = problems.value
  if (!problem) return ok({ types: true })
  return err({
    ...failure('TOOL_FAILED', `${problem.file}:${problem.line}: ${problem.message}`),
    file: problem.file,
    line: problem.line,
  })
}
