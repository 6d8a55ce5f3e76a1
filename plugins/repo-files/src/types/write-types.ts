import { readFile, writeFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { Agent, messageOf, tryAsync, type CommandContext } from '@amodal/sdk'
import { errorsIn } from '@amodal/sdk/files'
import { typesOf } from './agent-types.ts'

/** Writes the types of an agent, or says whether what is written is what would be. */
export async function writeTypes({
  dir,
  fail,
  options,
  print,
  program = 'amodal',
  signal,
  start,
  write,
}: CommandContext): Promise<number> {
  const agent = (await start({ without: ['http'], looking: true })).scope.get(Agent)
  const bundle = agent.bundle()
  const compiled = await agent.compiled(signal)
  if (!bundle || !compiled.ok) {
    fail(
      compiled.ok ? 'the agent has no files' : `${compiled.error.code}: ${compiled.error.message}`,
    )
    return 1
  }
  const errors = errorsIn(bundle.issues).length
  if (errors > 0) {
    fail(
      `the files of the agent have ${errors === 1 ? 'an error' : `${errors} errors`}, and what is left out would be missing: see \`${program} validate\``,
    )
    return 1
  }
  const text = typesOf(bundle, compiled.value.tools)
  const { out, check } = options
  if (out === '-') {
    write(text)
    return 0
  }
  const file = resolve(dir, typeof out === 'string' ? out : 'amodal.d.ts')
  const within = relative(dir, file)
  const shown = within.startsWith('..') ? file : within
  if (check === true) {
    const there = await readFile(file, 'utf8').catch(() => undefined)
    if (there === text) print(`✓ ${shown} is up to date`)
    else
      fail(
        `${shown} is ${there === undefined ? 'missing' : 'not up to date'}: run \`${program} build-manifest-types\``,
      )
    return there === text ? 0 : 1
  }
  const written = await tryAsync(() => writeFile(file, text), messageOf)
  if (!written.ok) {
    fail(`UNREADABLE: ${file} cannot be written: ${written.error}`)
    return 1
  }
  print(
    `✓ ${shown}: the types of ${bundle.stores.length} ${bundle.stores.length === 1 ? 'store' : 'stores'} and ${compiled.value.tools.tools.length} tools`,
  )
  return 0
}
