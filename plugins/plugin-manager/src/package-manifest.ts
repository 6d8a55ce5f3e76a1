import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  err,
  isPlugin,
  KERNEL_API,
  messageOf,
  ok,
  tryAsync,
  type Command,
  type Json,
  type Plugin,
  type Result,
} from '@amodal/sdk'
import { parseJson } from '@amodal/sdk/files'
import { applyEdits, modify } from 'jsonc-parser'
import { z } from 'zod'
import { capabilitiesOf } from './capabilities.ts'

/** What belongs under `amodal` in the package.json of a plugin, written or compared where asked. */
export async function manifestOf({
  package: folder,
  config = '{}',
  write,
  check,
}: Parameters<Command['run']>[0]['options']): Promise<Result<string, string>> {
  const file = join(resolve(typeof folder === 'string' ? folder : '.'), 'package.json')
  const text = await tryAsync(() => readFile(file, 'utf8'), messageOf)
  if (!text.ok) return text
  const given = parseJson(String(config))
  if (!given.ok) return err(`--config: ${given.error[0].message}`)
  const plugin = await pluginOf(file, text.value)
  if (!plugin.ok) return plugin
  const capabilities = capabilitiesOf(plugin.value, given.value.value)
  if (!capabilities.ok) return err(`${plugin.value.name}: ${capabilities.error}`)
  const made = {
    plugin: plugin.value.name,
    kernel: KERNEL_API,
    capabilities: capabilities.value,
  }
  if (check === true)
    return isSame(text.value, made)
      ? ok(`${file} says what ${made.plugin} does.`)
      : err(`${file} does not say what ${made.plugin} does: amodal plugins manifest --write`)
  if (write !== true) return ok(JSON.stringify({ amodal: made }, undefined, 2))
  const edits = modify(text.value, ['amodal'], made, {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  })
  const written = await tryAsync(() => writeFile(file, applyEdits(text.value, edits)), messageOf)
  return written.ok ? ok(`${file} says what ${made.plugin} does.`) : written
}

const Entry = z.looseObject({
  exports: z
    .union([
      z.string(),
      z.looseObject({
        '.': z.union([z.string(), z.looseObject({ default: z.string() })]),
      }),
    ])
    .optional(),
  main: z.string().optional(),
})

/** The plugin that a package exports. */
async function pluginOf(file: string, text: string): Promise<Result<Plugin, string>> {
  const said = parseJson(text)
  const read = Entry.safeParse(said.ok ? said.value.value : undefined)
  if (!read.success) return err(`${file} has no \`exports\` that lead to a file`)
  const { exports, main = 'index.js' } = read.data
  const door = typeof exports === 'object' ? exports['.'] : exports
  const path = typeof door === 'object' ? door.default : (door ?? main)
  const entry = resolve(file, '..', path)
  const loaded = await tryAsync(
    // a module
    async () => (await import(pathToFileURL(entry).href)) as { readonly default?: unknown },
    (cause) => `${entry} cannot be loaded; is it built? ${messageOf(cause)}`,
  )
  if (!loaded.ok) return loaded
  return isPlugin(loaded.value.default)
    ? ok(loaded.value.default)
    : err(`${entry} has no plugin as its default export`)
}

function isSame(text: string, made: Json): boolean {
  const read = parseJson(text)
  const said = read.ok ? read.value.value : undefined
  return (
    typeof said === 'object' &&
    said !== null &&
    'amodal' in said &&
    JSON.stringify(said.amodal) === JSON.stringify(made)
  )
}
