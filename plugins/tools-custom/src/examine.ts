import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { err, failure, ok, trySync, type JsonObject, type Result } from '@amodal/sdk'
import { CHILD, programOf, type Handlers, type Code } from './handlers.ts'
import type { LoadFailure } from './process/handler-process.ts'
import { z } from 'zod'

const CHECK_MS = 5_000
const Problems = z.array(z.object({ file: z.string(), message: z.string(), line: z.int() }))
export type SyntaxProblem = z.output<typeof Problems>[number]

/**
 * Files that are no TypeScript or Python, all looked at in one process, which runs nothing of them.
 */
export async function syntaxProblems(
  root: string,
  paths: readonly string[],
  code: 'typescript' | 'python',
  handlers: Handlers,
): Promise<readonly SyntaxProblem[]> {
  if (paths.length === 0) return []
  const python = code === 'python' ? await handlers.launcher.python() : undefined
  if (python && !python.ok) return []
  const [file, ...flags] = python
    ? [python.value, '-I', '-B']
    : [process.execPath, '--disable-warning=ExperimentalWarning']
  const program = python ? join(CHILD, 'check.py') : programOf('check')
  const text = await new Promise<string>((resolve) => {
    execFile(
      file,
      [...flags, program, ...paths.map((path) => join(root, path))],
      { env: {}, timeout: CHECK_MS, killSignal: 'SIGKILL', cwd: root },
      (_, output) => resolve(output),
    )
  })
  const read = trySync(
    () => Problems.parse(JSON.parse(text)),
    () => [],
  )
  return read.ok
    ? read.value.map((problem) => ({ ...problem, file: problem.file.slice(root.length + 1) }))
    : []
}

/**
 * Reads the tool definition from a single file. The file is run for that, in its sandbox, without
 * environment variables and with a deadline.
 */
export async function definitionIn(
  root: string,
  code: Code,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<Result<JsonObject | undefined, LoadFailure>> {
  const started = await handlers.start(root, code, {}, { describe: true, signal })
  if (!started.ok)
    return signal.aborted ? err(failure('TIMEOUT', 'it was not loaded in time')) : started
  const { definition } = started.value
  started.value.kill('it has said what it is')
  return ok(definition)
}
