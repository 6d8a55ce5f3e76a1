/**
 * Every code that can leave the product, with the next step for whoever meets it.
 * A code is added here first; a test fails on codes that are not in this table.
 */
export declare const CODES: {
    readonly DUPLICATE_NAME: 'give one of them another name with `as`, or remove it';
    readonly SLOT_CONFLICT: 'keep one provider: `replace` the other, or wrap it with `decorates`';
    readonly MISSING_PROVIDER: 'add a plugin that provides it';
    readonly CYCLE: 'break the circle: make one of these `optional`, or use a registry';
    readonly BAD_CONFIG: 'correct the configuration at the path given';
    readonly SCOPE_LEAK: 'ask for it from the scope it lives in';
    readonly KERNEL_VERSION: 'install a version of the plugin made for this kernel';
    readonly UNTRUSTED_SEAL: 'mark the entry `trusted: true` in the preset or in amodal.json, or tap an earlier stage';
    readonly PINNED_REMOVED: 'keep the plugin, or say `unsafe: true` beside its `without`';
    readonly GUARD_MISSING: 'add the plugin that taps this hook, or choose another preset';
    readonly OPTIONAL_GUARD: 'remove `optional`: a plugin that guards may not drop out';
    readonly RESTART_NEEDED: 'start a new process: this plugin cannot be exchanged in a running one';
    readonly UNKNOWN_ENTRY: 'name a plugin that is in the list';
    readonly NOT_A_PLUGIN: 'export the value that `definePlugin` returns as default';
    readonly PLUGIN_NOT_FOUND: 'check the name or path, or install the package beside amodal.json';
    readonly UNDECLARED: 'declare it in the plugin definition';
    readonly SEALED: 'tap inside `setup`; hooks are closed afterwards';
    readonly PLUGIN_FAILED: 'see the cause; the plugin named here is at fault';
    readonly PLUGIN_TIMEOUT: 'the plugin named here did not answer in time';
    readonly BAD_VALUE: 'the plugin named here returned a value the hook does not allow';
    readonly KERNEL_CLOSED: 'the server is stopping; try again on another instance';
    readonly ENV_NOT_SET: 'set the variable in the environment or in .env';
    readonly NOT_ISOLATED: 'install bubblewrap or util-linux, or say in amodal.json what keeps handlers apart: docs/run-it.md#handlers-of-tools';
    readonly BAD_REPO: 'correct the file at the line given';
    readonly NOT_FOUND: 'check the name';
    readonly UNREADABLE: 'make the file or folder readable';
    readonly VALIDATION_ERROR: 'correct the request';
    readonly SESSION_NOT_FOUND: 'start a new session, or check its id';
    readonly SESSION_EXPIRED: 'start a new session';
    readonly ASK_NOT_FOUND: 'the question is not open any more';
    readonly ANSWER_INVALID: 'answer with a value that fits `pending_input_schema`';
    readonly RUN_ACTIVE: 'wait for the run to end, or cancel it';
    readonly QUEUE_FULL: 'wait for earlier messages to be answered';
    readonly MESSAGE_CONFLICT: 'use a new Idempotency-Key for another message';
    readonly COMMIT_IN_DOUBT: 'resume the session to see what became true';
    readonly LEASE_LOST: 'another instance goes on with this run; resume the stream';
    readonly STORE_FAILED: 'check the database';
    readonly UNKNOWN_ENTRY_VERSION: 'run a release that knows this version';
    readonly RUN_SET_ASIDE: 'try it again with `amodal ops runs retry`, or end it with `amodal ops runs end`';
    readonly NO_MODEL: 'set a provider key, or `models.main` in amodal.json';
    readonly MODEL_FAILED: 'see the cause; the next message tries again';
    readonly MODEL_TIMEOUT: 'the model did not answer in time; try again';
    readonly MODEL_FILTERED: 'ask in other words: the content filter of the model took the answer back';
    readonly MODEL_MALFORMED: 'the model sent something that is no valid reply; try again';
    readonly CASSETTE_MISS: 'record it: run the same once more with AMODAL_CASSETTE=auto, where the model can be reached';
    readonly CONTEXT_OVERFLOW: 'start a new session, or send less at once';
    readonly LOOP_DETECTED: 'say differently what you need; the same calls came again and again';
    readonly BUDGET_EXCEEDED: 'send another message, or raise the limit named here';
    readonly TOOL_UNKNOWN: 'use one of the tools listed';
    readonly TOOL_SCHEMA: 'describe the parameters as an object, such as `z.object({ … })`';
    readonly TOOL_ARGUMENTS: 'correct the arguments to fit the schema of the tool';
    readonly TOOL_FAILED: 'see the message of the tool';
    readonly RESULT_TOO_LARGE: 'ask the tool for less, or give it another `resultPersistence`';
    readonly TOOL_TIMEOUT: 'the tool did not answer in time';
    readonly TOOL_CHANGED: 'ask again: the tool is not what was approved';
    readonly TAINT_IGNORED: 'remove `taint` where a stranger may not decide that it is done';
    readonly TOOL_DENIED: 'do not call it again in this turn; tell the person';
    readonly AUDIT_UNAVAILABLE: 'look at the database or file that the audit log is kept in; nothing is changed until it can be written';
    readonly APPROVAL_REQUIRED: 'let the model call it, so that a person can approve it';
    readonly OUTPUT_BLOCKED: 'ask for it without restricted data; the log names what was found';
    readonly OUTPUT_CUT: 'ask for less at once, or raise `budget` of guard-output: looking at the reply took too much work';
    readonly ANSWER_WITHHELD: 'ask another endpoint, or let somebody list in access.json what of this answer may be told (allow_fields)';
    readonly HANDLE_REFUSED: 'send it to the connection it came from, or leave it out';
    readonly OUTCOME_UNKNOWN: 'check the target before repeating it';
    readonly OUTBOUND_REFUSED: 'use an address that is allowed';
    readonly OUTBOUND_FAILED: 'check the address, and that the target runs; then try again';
    readonly TARGET_ERROR: 'see what the target answered, and correct the request';
    readonly CONTEXT_MISSING: 'sign in, or send the value in `context`';
    readonly CANCELLED: 'nothing is to be done: somebody stopped it';
    readonly UNAUTHENTICATED: 'send a good credential: `Authorization: Bearer …` or `X-API-Key`';
    readonly FORBIDDEN_SCOPE: 'use a credential that is good for this route';
    readonly SCOPE_REQUIRED: 'name the scope with `scope_id`';
    readonly RATE_LIMITED: 'try again after the seconds in Retry-After';
    readonly NOT_ALLOWED: 'use a method the route offers';
    readonly TOO_LARGE: 'send less';
    readonly UNSUPPORTED_MEDIA: 'send application/json';
    readonly FORBIDDEN_ORIGIN: 'call from the same origin';
    readonly PORT_IN_USE: 'stop the other process, or choose another port with --port';
    readonly NOT_LOOPBACK: 'make a key with `amodal ops keys create`, name an issuer of tokens, or bind to 127.0.0.1';
    readonly DATABASE_LOCKED: 'stop the other server, or choose another `dataDir`';
    readonly DATABASE_UNAVAILABLE: 'start the database, or correct its address';
    readonly DATABASE_DAMAGED: 'restore the folder from a backup, move it away to begin with an empty one, or choose another `dataDir`';
    readonly MIGRATION_UNKNOWN: 'run the release that wrote this database, or a newer one';
    readonly MIGRATION_CHANGED: 'never edit a released migration; add a new one';
    readonly TIMEOUT: 'try again';
    readonly INTERNAL: 'this is a defect: please report it with the log line';
};
export type Code = keyof typeof CODES;
/** An error as a value: a code, what happened, and what to do. `status` is the HTTP status where it leaves the product. */
export interface Failure {
    readonly code: Code;
    readonly message: string;
    readonly status?: number;
    readonly details?: Readonly<Record<string, unknown>>;
    readonly cause?: unknown;
}
export declare function failure(code: Code, message: string, more?: Omit<Failure, 'code' | 'message'>): Failure;
export type PluginPhase = 'config' | 'setup' | 'provide' | 'boot' | 'hook' | 'tool' | 'teardown';
declare const PLUGIN_ERROR: unique symbol;
/** Whatever fails inside a plugin, carrying the plugin, the phase and the place. */
export declare class PluginError extends Error {
    readonly [PLUGIN_ERROR] = true;
    readonly plugin: string;
    readonly phase: PluginPhase;
    readonly where: string;
    readonly code: Code;
    constructor(plugin: string, phase: PluginPhase, where: string, cause: unknown, code?: Code);
    /** Works across two copies of the kernel, where `instanceof` does not. */
    static is(value: unknown): value is PluginError;
    toFailure(): Failure;
}
export {};
