import type { Command, CommandContext, Failure } from '@amodal/sdk'
import { TOOL_NAME } from '../publish/project.ts'
import { LANGUAGES, type Language } from './files.ts'
import { createTool, installScaffold, toolsIn, type Written } from './install.ts'

const SIGNS: Readonly<Record<Written['change'], string>> = {
  added: '+',
  updated: '~',
  unchanged: '=',
}

/** `amodal tool-scaffold install`. */
export const installCommand: Command = {
  summary: 'Write the types of versioned tools into the folders of a clone',
  usage: 'amodal tool-scaffold install [--dir DIR] [--tool NAME | --all]',
  about: [
    'DIR is a clone of the repository of tools; the current folder where it is left out. Each folder with a tool.json gets the scaffold of its language:',
    'amodal_tool_scaffold.ts, or the package amodal_tool_scaffold in Python. Other files are never changed.',
  ],
  examples: [
    ['amodal tool-scaffold install', 'brings all tools up to date'],
    ['amodal tool-scaffold install --tool check_order', 'one of them'],
  ],
  options: {
    tool: { type: 'string', short: 't', description: 'The tool, by the name of its folder' },
    all: { type: 'boolean', description: 'All tools of the clone, as without an option' },
  },
  async run(context) {
    const { tool, all } = context.options
    if (tool !== undefined && all === true) return wrong(context, 'use --tool or --all, not both')
    if (context.arguments.length > 0)
      return wrong(context, `name a tool with --tool ${context.arguments[0]}`)
    const names = typeof tool === 'string' ? [tool] : await allIn(context)
    if (names === undefined) return 1
    let code = 0
    for (const name of names) {
      const installed = await installScaffold(context.dir, name)
      if (installed.ok) report(context, installed.value)
      else code = failedWith(context, installed.error)
    }
    return code
  },
}

async function allIn(context: CommandContext): Promise<readonly string[] | undefined> {
  const tools = await toolsIn(context.dir)
  if (tools.ok && tools.value.length > 0) return tools.value
  if (!tools.ok) failedWith(context, tools.error)
  else
    context.fail(
      `${context.dir}: no folder of it has a tool.json; name a clone of the repository of tools with --dir, or begin a tool with \`${programOf(context)} tool-scaffold new NAME\``,
    )
  return undefined
}

/** `amodal tool-scaffold new NAME`. */
export const newCommand: Command = {
  summary: 'Begin a versioned tool in a clone',
  usage: 'amodal tool-scaffold new NAME [--language typescript|python] [--dir DIR]',
  about: [
    'Creates the folder NAME in a clone of the repository of tools, with tool.json, code that can be published as it is, and the types of its language.',
  ],
  examples: [['amodal tool-scaffold new check_order --language python', 'a tool in Python']],
  options: {
    language: { type: 'string', description: 'typescript or python', default: 'typescript' },
  },
  async run(context) {
    const [name, ...more] = context.arguments
    if (name === undefined || more.length > 0)
      return wrong(context, 'name one tool: amodal tool-scaffold new check_order')
    if (!TOOL_NAME.test(name))
      return wrong(
        context,
        `"${name}" is no name of a tool: use small letters, digits and _, with a letter first`,
      )
    const language = languageOf(context.options['language'])
    if (!language) return wrong(context, '--language must be typescript or python')
    const created = await createTool(context.dir, name, language)
    if (!created.ok) return failedWith(context, created.error)
    report(context, created.value)
    context.print('Commit and push it, then publish the branch.')
    return 0
  },
}

const languageOf = (option: unknown): Language | undefined =>
  LANGUAGES.find((language) => language === option)

function report(context: CommandContext, files: readonly Written[]): void {
  for (const { path, change } of files) context.print(`${SIGNS[change]} ${path} ${change}`)
}

function failedWith(context: CommandContext, { message, fix }: Failure): 1 {
  context.fail(fix === undefined ? message : `${message}; ${fix}`)
  return 1
}

function wrong(context: CommandContext, message: string): 2 {
  context.fail(message)
  return 2
}

const programOf = ({ program = 'amodal' }: CommandContext): string => program
