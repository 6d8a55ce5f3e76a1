import { NEXT } from '@amodal/sdk/loop'
import { agentFile, parseJson } from './agent-files.ts'
import { isComponent } from './code.ts'
import { says, where, type Block, type Page } from './pages.ts'

/** Words behind a language that say what is done with a block. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  ts: ['run'],
  sh: ['run', 'serve'],
  json: ['output'],
  jsonc: [],
  sse: ['output'],
  mermaid: ['states'],
  md: [],
  dotenv: [],
}

/** What a block must be, so that nothing on a page goes unchecked without a reason. */
export function blockProblems(page: Page): readonly string[] {
  return page.blocks.flatMap((block) => {
    const problem = blockProblem(block) ?? fileProblem(block, page)
    return problem === undefined ? [] : [`${where(block)}: ${problem}`]
  })
}

function blockProblem(block: Block): string | undefined {
  const { lang, info, text } = block
  const actions = ACTIONS[lang]
  if (lang === '') return 'a block needs a language; `text` with a reason where nothing checks it'
  if (!actions)
    return isComponent(block) || says(block, 'output') || info.split(' ').length >= 2
      ? undefined
      : `nothing checks "${lang}", and a block that nothing checks says why: \`\`\`${lang} the reason`
  const file = agentFile(block)
  if ((lang === 'md' || lang === 'dotenv') && !file)
    return 'a file of an agent says which one it is: ```md skills/triage.md'
  if (info !== '' && !file && !info.split(' ').every((word) => actions.includes(word)))
    return `"${info}" says nothing to a ${lang} block (${actions.join(', ') || 'no words'})`
  if (lang === 'json' || lang === 'jsonc') {
    const { value, problem } = parseJson(block)
    if (problem !== undefined) return problem
    if (!file && isManifest(value)) return 'this is a manifest: ```json amodal.json'
    if (!file && isStore(value)) return 'this is a store: ```json stores/NAME.json'
  }
  return lang === 'mermaid' && says(block, 'states') ? statesProblem(text) : undefined
}

const keysOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.keys(value) : []
const isManifest = (value: unknown): boolean =>
  keysOf(value).length > 0 &&
  keysOf(value).every((key) =>
    [
      'name',
      'version',
      'description',
      'userContext',
      'models',
      'limits',
      'plugins',
      'preset',
      'runtime',
      'stores',
    ].includes(key),
  ) &&
  keysOf(value).some((key) =>
    ['models', 'limits', 'plugins', 'preset', 'runtime', 'userContext'].includes(key),
  )
const isStore = (value: unknown): boolean => keysOf(value).includes('entity')

/** Readers do not see an info string, so the text above a file names it. */
function fileProblem(block: Block, page: Page): string | undefined {
  const place = agentFile(block)
  if (!place) return undefined
  const name = place.folder === '' ? place.file : `${place.folder}/${place.file}`
  const above = page.prose
    .filter(({ line }) => line < block.line - 1 && line >= block.line - 8)
    .map(({ text }) => text)
    .join('\n')
  return above.includes(`\`${name}\``)
    ? undefined
    : `the lines above do not say that this is \`${name}\``
}

/** A drawing of the states shows the moves that the kernel allows, and no others. */
function statesProblem(text: string): string | undefined {
  const drawn = [...text.matchAll(/^\s*(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} → ${to}`)
  const legal = Object.entries(NEXT).flatMap(([from, targets]) =>
    targets.map((to) => `${from} → ${to}`),
  )
  const wrong = [
    ...drawn.filter((move) => !legal.includes(move)).map((move) => `draws ${move}`),
    ...legal.filter((move) => !drawn.includes(move)).map((move) => `leaves out ${move}`),
  ]
  return wrong.length === 0 ? undefined : `the drawing ${wrong.join(', ')}`
}
