import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  err,
  isPlugin,
  messageOf,
  ok,
  tryAsync,
  type Command,
  type Json,
  type Plugin,
  type Result,
} from '@amodal/sdk'
import { parseJson } from '@amodal/sdk/files'
import { manifestFor, pluginPage, type PackageManifest } from '@amodal/sdk/inspection'
import { applyEdits, modify } from 'jsonc-parser'
import { z } from 'zod'

type Options = Parameters<Command['run']>[0]['options']

/** A plugin of a package, and the config that it is inspected with. */
interface Packed {
  readonly plugin: Plugin
  readonly config: Json
  readonly file: string
  readonly text: string
}

/** The `amodal` block for the package.json of a plugin; written or compared as the options say. */
export async function manifestOf(options: Options): Promise<Result<string, string>> {
  const packed = await packedIn(options)
  if (!packed.ok) return packed
  const { plugin, config, file, text } = packed.value
  const read = manifestFor(plugin, config)
  if (!read.ok) return read
  const made = read.value
  if (options['check'] === true)
    return isSame(text, made)
      ? ok(`${file} says what ${made.plugin} does.`)
      : err(`${file} does not say what ${made.plugin} does: amodal plugins manifest --write`)
  if (options['write'] !== true) return ok(JSON.stringify({ amodal: made }, undefined, 2))
  const written = await tryAsync(() => writeFile(file, withManifest(text, made)), messageOf)
  return written.ok ? ok(`${file} says what ${made.plugin} does.`) : written
}

/** The reference page of the plugin of a package. */
export async function pageOf(options: Options): Promise<Result<string, string>> {
  const packed = await packedIn(options)
  if (!packed.ok) return packed
  const { plugin, config, text } = packed.value
  const result = parseJson(text)
  const named = Named.safeParse(result.ok ? result.value.value : undefined)
  return pluginPage(
    plugin,
    {
      package: named.data?.name ?? plugin.name,
      description: named.data?.description ?? 'Its package.json has no description.',
    },
    config,
  )
}

const Named = z.looseObject({ name: z.string().optional(), description: z.string().optional() })

async function packedIn({
  package: folder,
  config = '{}',
}: Options): Promise<Result<Packed, string>> {
  const file = join(resolve(typeof folder === 'string' ? folder : '.'), 'package.json')
  const text = await tryAsync(() => readFile(file, 'utf8'), messageOf)
  if (!text.ok) return text
  const given = parseJson(String(config))
  if (!given.ok) return err(`--config: ${given.error[0].message}`)
  const plugin = await pluginOf(file, text.value)
  return plugin.ok
    ? ok({ plugin: plugin.value, config: given.value.value, file, text: text.value })
    : plugin
}

/** A package.json with the manifest of its plugin; other fields under `amodal` are preserved. */
const withManifest = (text: string, made: PackageManifest): string =>
  Object.entries(made).reduce(
    (before, [name, value]) =>
      applyEdits(
        before,
        modify(before, ['amodal', name], value, {
          formattingOptions: { insertSpaces: true, tabSize: 2 },
        }),
      ),
    text,
  )

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
  const result = parseJson(text)
  const read = Entry.safeParse(result.ok ? result.value.value : undefined)
  if (!read.success) return err(`${file} has no \`exports\` that lead to a file`)
  const { exports, main = 'index.js' } = read.data
  const entryPoint = typeof exports === 'object' ? exports['.'] : exports
  const path = typeof entryPoint === 'object' ? entryPoint.default : (entryPoint ?? main)
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

const isSame = (text: string, made: PackageManifest): boolean =>
  withManifest(text, made).replace(/\s/g, '') === text.replace(/\s/g, '')
