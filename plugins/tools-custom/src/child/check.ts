// Parses files and reports which of them are not valid TypeScript. Runs none of them.
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

const problems = process.argv.slice(2).flatMap((file) => {
  const text = readFileSync(file, 'utf8')
  try {
    stripTypeScriptTypes(text)
    return []
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause))
    const line = /:(\d+)(?::\d+)?\s*$/m.exec(error.stack?.split('\n')[0] ?? '')?.[1]
    return [
      { file, message: error.message.split('\n')[0], line: line === undefined ? 1 : Number(line) },
    ]
  }
})
process.stdout.write(JSON.stringify(problems))
