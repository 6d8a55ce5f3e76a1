/**
 * The two tiers of the tests. The gate, `npm test`, runs what a change can plausibly break; `npm
 * test -- --all` runs everything. docs/decisions/two-tiers.md says how it was decided.
 */

/** In the environment of the gate. A file that is named on the command line runs in any case. */
export const GATE = { AMODAL_TEST_TIER: 'gate' }

const MATRIX = 'every combination of something that the gate tries in part'
const CORPUS = 'a corpus: many cases of one rule, whose unit tests are in the gate'
const PROCESSES = 'starts and ends many processes'
const WHOLE_SERVER = 'a whole server for what unit tests of its plugin try in the gate'
const TOOLING = 'tests the tools of this clone, not the product'

/** Files that only `--all` runs, each with the reason. Patterns as vitest's `exclude` has them. */
export const ONLY_IN_ALL = {
  'plugins/agent-runs/test/{kill,links,mcp,on-postgres,pauses,webhooks,artifacts,list,stream}.test.ts':
    MATRIX,
  'plugins/assets/test/{cleaning,messages,uploads}.test.ts': MATRIX,
  'plugins/automations/test/{approvals,delivery,held,webhooks}.test.ts': MATRIX,
  'plugins/connect-mcp/test/{conformance,faults,real-servers}.test.ts': PROCESSES,
  'plugins/connect-mcp/test/{lending,oauth,sessions}.test.ts': MATRIX,
  'plugins/db-pglite/test/{damage,lock,opening}.test.ts': PROCESSES,
  'plugins/queue-database/test/{behaviour,pglite,postgres}.test.ts':
    'the contract of queues runs in memory in the gate',
  'plugins/tool-repos/test/{hostile,kill}.test.ts': PROCESSES,
  'plugins/tools-custom/test/{faults,handlers,isolation,pool,python,reading,versions}.test.ts':
    PROCESSES,
  'plugins/tools-versions/test/{clean-up,invoke,on-postgres,publish,scaffold,search-speed,with-git}.test.ts':
    PROCESSES,
  'plugins/wire-a2a/test/{push,tasks}.test.ts': MATRIX,
  'plugins/wire-openai/test/{chat-completions,responses}.test.ts': MATRIX,
  'tests/loop/{budgets-together,cassette,compaction,failover,knowing,loop-guard,properties}.test.ts':
    MATRIX,
  'tests/loop/{finish-reasons,returned-parts}.test.ts': MATRIX,
  'tests/loop/{provider-histories,reference-clients,seen-all}.test.ts': MATRIX,
  'plugins/automations/test/cron.test.ts': 'hundreds of due times and events on three instances',
  'plugins/db-pglite/test/contract.test.ts': 'the contract runs on Postgres in the gate',
  'plugins/db-pglite/test/plugin-contract.test.ts': 'twenty starts of a database',
  'plugins/db-pglite/test/running.test.ts': 'fills a database until it has to be cleaned',
  'plugins/experiments/test/verdict.test.ts': CORPUS,
  'plugins/guard-links/test/random.test.ts': CORPUS,
  'plugins/search/test/large.test.ts': 'indexes 100,000 documents',
  'plugins/sessions/test/contract.test.ts': 'the contract runs on Postgres in the gate',
  'plugins/sessions/test/work.test.ts': MATRIX,
  'plugins/stores-database/test/large.test.ts': 'stores of 100,000 documents',
  'plugins/usage/test/{kill,many-kills,stores}.test.ts': PROCESSES,
  'presets/test/plugin-packages.test.ts': 'installs packages',
  'tests/presets/{admin-agent,connections-login,experiments}.test.ts': WHOLE_SERVER,
  'tests/presets/{eval-promote,evals-server,replay-change,trace-journal}.test.ts': WHOLE_SERVER,

  'tests/bench/**': TOOLING,
  'tests/changed.test.ts': TOOLING,
  'tests/docs/checker.test.ts': TOOLING,
  'tests/docs/code.test.ts': 'compiles every example of every page',
  'tests/docs/site.test.ts': 'builds the site of the documentation',
  'tests/docs/played.test.ts': 'does what every page tells its reader to do',
  'tests/edits.test.ts': TOOLING,
  'tests/test-files.test.ts': TOOLING,
  'tests/new-plugin.test.ts': TOOLING,
  'tests/packages/**': 'packs and installs every package',
  'tests/release.test.ts': TOOLING,
  'tests/runner.test.ts': TOOLING,

  'tests/loop/long-run.test.ts': '300 steps with 40 sub-agents',
  'tests/loop/residents.test.ts': 'measures memory',

  'tests/chaos/!(kill-points|recovery|stop).test.ts': PROCESSES,
  'tests/e2e/!(command-line|dev|react-server|stopping|studio-decisions|terminal|widget).test.ts':
    WHOLE_SERVER,
  // vitest takes `!(widget)` for all that begins so
  'tests/e2e/widget-{cuts,init}.test.ts': PROCESSES,
  'tests/e2e/terminal/**': 'long answers on a pseudo-terminal, and what people decide there',
  'tests/e2e/wires/!(ag-ui).test.ts': WHOLE_SERVER,

  'tests/security/!(access|doors)/**': CORPUS,
  'tests/security/http-fuzz.test.ts': CORPUS,
  'tests/security/doors/!(access|approvals|keys|taint|tenants|withheld).test.ts': WHOLE_SERVER,
}
