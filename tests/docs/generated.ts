import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_SETTINGS, type RuntimeSettings } from '@amodal/plugin-loop'
import { STAGES } from '@amodal/sdk'
import { hookCatalogue, type CatalogueEntry } from './hook-catalogue.ts'
import { HOOK_NOTES, WORDS } from './hook-notes.ts'
import { code, table } from './markdown.ts'
import { ROOT } from './pages.ts'
import { SETTING_NOTES } from './setting-notes.ts'

/**
 * The parts of pages that are made from the code, by page and by the name between their markers.
 */
const PARTS: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'docs/hooks.md': { stages: stageTable, hooks: hookTables, words: wordList },
  'docs/run-it.md': { settings: settingTable },
}

/** Pages with generated parts, as they should stand. */
export function freshPages(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(PARTS).map(([page, parts]) => {
      const text = Object.entries(parts).reduce(
        (before, [name, make]) => {
          const part = new RegExp(`(<!-- generated: ${name} -->\\n)[^]*?(<!-- end of ${name} -->)`)
          if (!part.test(before))
            throw new Error(
              `${page} has no place for "${name}": <!-- generated: ${name} --> … <!-- end of ${name} -->`,
            )
          return before.replace(
            part,
            (_, begin: string, end: string) => `${begin}\n${make()}\n\n${end}`,
          )
        },
        readFileSync(join(ROOT, page), 'utf8'),
      )
      return [page, text] as const
    }),
  )
}

const seconds = (ms: number): string => `${ms / 1_000} s`

function stageTable(): string {
  return table(
    ['Stage', 'Place'],
    Object.entries(STAGES).map(([stage, place]) => [code(stage), String(place)]),
  )
}

function hookTables(): string {
  const groups = Map.groupBy(hookCatalogue(), ({ name }) => name.split('.')[0] ?? '')
  return [...groups]
    .map(([group, hooks]) => `### ${group}\n\n${hooks.map(hookText).join('\n\n')}`)
    .join('\n\n')
}

function hookText({
  name,
  kind,
  onError,
  timeoutMs,
  checked,
  parameters,
  returns,
  called,
}: CatalogueEntry): string {
  const shown = name === 'state.enter' || name === 'state.leave' ? `${name}.<state>` : name
  const policy = [
    kind,
    onError === 'fail' ? 'a failure fails the call' : 'a failure is skipped',
    ...(timeoutMs === undefined ? [] : [seconds(timeoutMs)]),
    ...(checked ? ['checked'] : []),
  ]
  return [
    `**${code(shown)}** · ${policy.join(' · ')}`,
    '',
    `${code(`(${parameters.join(', ')}) => ${returns === undefined ? 'void' : `${returns} | undefined`}`)}`,
    '',
    `${HOOK_NOTES[name]}${called ? '' : ' **Nothing calls it yet.**'}`,
  ].join('\n')
}

function wordList(): string {
  return Object.entries(WORDS)
    .map(([word, meaning]) => `- ${code(word)}: ${meaning}.`)
    .join('\n')
}

const valueText = (value: RuntimeSettings[keyof RuntimeSettings]): string =>
  typeof value === 'number' ? value.toLocaleString('en') : code(JSON.stringify(value))

function settingTable(): string {
  const isSetting = (name: string): name is keyof RuntimeSettings => name in SETTING_NOTES
  return table(
    ['Setting', 'Default', ''],
    Object.keys(SETTING_NOTES)
      .filter(isSetting)
      .map((name) => [code(name), valueText(DEFAULT_SETTINGS[name]), SETTING_NOTES[name]]),
  )
}
