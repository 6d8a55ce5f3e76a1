import { Agent, type Command, type CommandContext } from '@amodal/sdk'
import { LOCAL_CALLER } from '@amodal/sdk/loop'
import {
  Inventories,
  inspectionOf,
  toMermaid,
  toText,
  type Inventory,
  type InventoryItem,
} from '@amodal/sdk/inspection'
import { budgetOf, sectionText } from './budget.ts'
import { budgetTable } from './budget-table.ts'

/** `amodal inspect`: what the model is sent, and what the agent is made of. */
export const inspectCommand: Command = {
  summary: 'Show what the model is sent, with its token budget',
  usage: 'amodal inspect [--dir PATH] [--prompt | --segments | --plugins | --mermaid] [--json]',
  about: [
    'Shows what takes the room of the context: instructions, skills, knowledge, stores, connections and tools, in tokens. Nothing is sent.',
  ],
  examples: [
    ['amodal inspect --dir my-agent', 'the budget, part by part'],
    ['amodal inspect --prompt', 'the system prompt, word by word'],
    ['amodal inspect --plugins', 'the plugins: what each one does where, and why in this order'],
  ],
  options: {
    prompt: { type: 'boolean', description: 'Print the system prompt' },
    segments: {
      type: 'boolean',
      description: 'Print the system prompt with the plugin that put each part of it there',
    },
    plugins: { type: 'boolean', description: 'Print the plugins, slots and hooks as a tree' },
    mermaid: { type: 'boolean', description: 'Print the plugins as a Mermaid graph' },
    json: { type: 'boolean', description: 'Print the data as JSON' },
  },
  async run(context) {
    const { options, print } = context
    const kernel = await context.start({ without: ['http'], looking: true })
    const json = options['json'] === true
    if (options['mermaid'] === true) print(toMermaid(inspectionOf(kernel)))
    else if (options['plugins'] === true)
      print(json ? JSON.stringify(inspectionOf(kernel), null, 2) : toText(inspectionOf(kernel)))
    else
      return showContext(kernel.scope.get(Agent), kernel.current().registry(Inventories), context)
    return 0
  },
}

const NAME_WIDTH = 24

interface Listed {
  readonly field: string
  readonly items: readonly InventoryItem[]
}

const factsOf = (listed: readonly Listed[]) =>
  Object.fromEntries(
    listed.map(({ field, items }) => [field, items.map(({ name, facts }) => ({ name, ...facts }))]),
  )

async function showContext(
  agent: Agent,
  inventories: ReadonlyMap<string, Inventory>,
  { options, print, fail, signal }: CommandContext,
): Promise<number> {
  const compiled = await agent.compiled(signal, LOCAL_CALLER.roles, LOCAL_CALLER)
  if (!compiled.ok) {
    fail(compiled.error.message)
    return 1
  }
  const { prompt, tools, model } = compiled.value
  const budget = budgetOf(prompt, tools)
  const bundle = agent.bundle()
  const listed = [...inventories].map(([field, inventory]) => ({
    field,
    title: inventory.title,
    items: bundle ? inventory.items(bundle, undefined) : [],
  }))
  if (options['json'] === true)
    print(
      JSON.stringify(
        { model: model ?? null, ...budget, prompt: prompt.text, ...factsOf(listed) },
        null,
        2,
      ),
    )
  else if (options['prompt'] === true) print(prompt.text)
  else if (options['segments'] === true)
    print(
      prompt.sections
        .map(
          (section) =>
            `── ${section.id} (${[section.plugin, ...(section.changedBy ?? []).map((plugin) => `changed by ${plugin}`)].join(', ')})\n${sectionText(section)}`,
        )
        .join('\n\n'),
    )
  else {
    print(budgetTable(budget))
    print(
      `\nModel: ${model ? [`${model.provider}/${model.model}`, model.notice].filter((line) => line !== undefined).join(' – ') : 'none'}`,
    )
    for (const { title, items } of listed)
      if (items.length > 0) {
        print(`\n${title} (${items.length})`)
        for (const { name, about } of items) print(`  ${name.padEnd(NAME_WIDTH)} ${about}`)
      }
    const problems = agent.bundle()?.issues.length ?? 0
    if (problems > 0)
      print(
        `${problems} ${problems === 1 ? 'problem' : 'problems'} in the files of the agent: see \`amodal validate\``,
      )
  }
  return 0
}
