import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, tryAsync, type AgentBundle, type JsonObject } from '@amodal/sdk'
import type { JsonFile, Path } from '@amodal/sdk/files'
import { agentsOf } from '@amodal/plugin-subagents/tokens'

/** The frontmatter of the agents in `agents/` that declare state, with the lines of its fields. */
export async function agentFiles(bundle: AgentBundle): Promise<readonly JsonFile<JsonObject>[]> {
  const { instructions } = bundle
  const main = instructions?.file ? [{ file: instructions.file, state: instructions.fields }] : []
  const others = agentsOf(bundle).map(({ file = '', state }) => ({ file, state }))
  const declaring = [...main, ...others].flatMap(({ file, state }) =>
    isObject(state) && ('state' in state || 'mutable' in state) ? [{ file, value: state }] : [],
  )
  return Promise.all(
    declaring.map(async ({ file, value }) => {
      const lines = await linesOf(bundle, file)
      return { file, value, lineOf: (path: Path) => lineIn(lines, path) }
    }),
  )
}

/** None where the file cannot be read any more: then everything stands in line 1. */
async function linesOf({ root }: AgentBundle, file: string): Promise<readonly string[]> {
  if (root === undefined) return []
  const text = await tryAsync(
    () => readFile(join(root, file), 'utf8'),
    () => undefined,
  )
  return text.ok ? text.value.split('\n') : []
}

/** The line of a field of YAML: each name of the path stands below the one before it. */
function lineIn(lines: readonly string[], path: Path): number {
  let line = 0
  for (const name of path) {
    const next = lines.findIndex((text, at) => at >= line && nameIn(text) === String(name))
    if (next === -1) break
    line = next
  }
  return line + 1
}

const nameIn = (text: string): string | undefined =>
  /^\s*(?:- )?["']?([^"':]+?)["']?\s*:/.exec(text)?.[1]
