import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Modules and globals with which a process can reach another host. */
const MODULES =
  /^(node:)?(http2?|https|net|tls|dgram|dns(\/promises)?)$|^(undici|ws|axios|got|ky|superagent|request|needle|node-fetch|cross-fetch|eventsource)(\/|$)/
const GLOBALS: ReadonlySet<string> = new Set([
  'fetch',
  'WebSocket',
  'EventSource',
  'XMLHttpRequest',
])

/** Who has one of these for another purpose, or is the way out. */
const ALLOWED: Readonly<Record<string, string>> = {
  'plugins/outbound/src/network.ts': 'the way out',
  'plugins/outbound/src/address-kind.ts': 'tells what is an address',
  'plugins/outbound/src/proxies.ts': 'tells what is an address',
  'plugins/outbound/src/proxied-target.ts': 'tells what is an address',
  'plugins/outbound/src/certificates.ts': 'reads the certificates of Node',
  'plugins/http/src/server.ts': 'listens',
  'plugins/http/src/ask-routes.ts': 'asks our own server, which runs elsewhere',
  'plugins/http/src/client-address.ts': 'compares addresses',
  'plugins/db-pglite/src/lock.ts': 'a socket without a peer, as a lock',
  'plugins/db-postgres/src/cancel.ts': 'speaks to the database of the configuration',
  'plugins/tools-custom/src/process/handler-process.ts': "the channel of a handler's process",
  'plugins/tools-custom/src/process/proof.ts':
    'a port of this machine, for a handler that must not reach it',
  'plugins/tools-custom/src/child/attempts.ts': 'the handler that tries to',
  'plugins/tools-custom/src/child/channel.ts': 'the other end of it',
  'plugins/tools-custom/src/child/runner.ts':
    'puts one that asks through that channel in the place of fetch',
  'plugins/ops/src/commands/login-command.ts': 'asks our own server, which runs elsewhere',
  'plugins/evals/src/promote/sensitive-values.ts': 'tells what is an address',
  'plugins/evals/src/promote/stand-ins.ts': 'tells what is an address',
  'plugins/connect-mcp/src/connections-command.ts':
    'asks our own server, which runs elsewhere, and is a page to come back to',
  'sdk/src/client/reachability.ts': 'the client of our own server, which runs elsewhere',
  'sdk/src/client/token-source.ts': "asks the server of the browser's page",
  'sdk/src/client/http-transport.ts': 'the client of our own server, which runs elsewhere',
  'sdk/src/testing/model-server.ts': 'a model on loopback, for tests',
  'sdk/src/testing/plain-deps.ts': "the platform's own fetch, for tests",
  'sdk/src/testing/plugin-contract.ts': 'sees that a setup calls nobody',
}

const SOURCES = [
  'kernel/src',
  'sdk/src',
  'presets/src',
  ...readdirSync(join(root, 'plugins'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `plugins/${name}/src`),
]
const sources = SOURCES.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
)

/** What a source reaches out with, besides `Outbound`. Types and names of its own do not count. */
function waysOut(text: string): readonly string[] {
  const tree = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const own = new Set<string>()
  const names = (node: ts.Node): void => {
    const declares =
      ts.isParameter(node) ||
      ts.isVariableDeclaration(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node)
    if (declares && node.name && ts.isIdentifier(node.name)) own.add(node.name.text)
    ts.forEachChild(node, names)
  }
  names(tree)
  const isName = (node: ts.Identifier): boolean => {
    const { parent } = node
    if (ts.isPropertyAccessExpression(parent))
      return parent.name === node && parent.expression.getText() !== 'globalThis'
    if (ts.isShorthandPropertyAssignment(parent)) return false
    return 'name' in parent && parent.name === node
  }
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      if (!node.importClause?.isTypeOnly && MODULES.test(node.moduleSpecifier.text))
        found.push(node.moduleSpecifier.text)
      return
    }
    if (
      ts.isCallExpression(node) &&
      (node.expression.kind === ts.SyntaxKind.ImportKeyword ||
        node.expression.getText() === 'require')
    ) {
      const [module] = node.arguments
      if (module && ts.isStringLiteral(module) && MODULES.test(module.text)) found.push(module.text)
    }
    if (
      ts.isIdentifier(node) &&
      GLOBALS.has(node.text) &&
      !isName(node) &&
      (!own.has(node.text) || node.parent.getText().startsWith('globalThis'))
    )
      found.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

test('everything that goes out takes the one way out', () => {
  expect(sources.length).toBeGreaterThan(100)
  const ways = sources.filter(
    (file) => !(file in ALLOWED) && waysOut(readFileSync(join(root, file), 'utf8')).length > 0,
  )
  expect(ways).toEqual([])
})

test('what is allowed still needs to be', () => {
  expect(
    Object.keys(ALLOWED).filter(
      (file) =>
        !sources.includes(file) || waysOut(readFileSync(join(root, file), 'utf8')).length === 0,
    ),
  ).toEqual([])
})

test.each([
  "await fetch('http://x')",
  'globalThis.fetch(url)',
  'const go = { fetch }',
  'call(fetch)',
  "import { request } from 'node:https'",
  "import { lookup } from 'dns'",
  "await import('undici')",
  "const net = require('net')",
  'new WebSocket(url)',
  "import axios from 'axios'",
])('sees %s', (line) => {
  expect(waysOut(line)).not.toEqual([])
})

test.each([
  'deps.outbound.fetch(lease)',
  'interface X { fetch(url: string): void }',
  'function go(fetch: Go) { return fetch(url) }',
  "import type { Socket } from 'node:net'",
  'const go: typeof fetch = other',
  'handler.fetch(request)',
  '// fetch(url)',
  "'fetch(url)'",
])('takes no offence at %s', (line) => {
  expect(waysOut(line)).toEqual([])
})
