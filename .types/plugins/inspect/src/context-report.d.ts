import { type Caller, type Agent, type Failure, type Generation, type JsonObject, type Result } from '@amodal/sdk';
/** What the model is sent now for somebody with these roles, made by the compiler that makes it for the model, and what each part costs. */
export declare function contextReport(agent: Agent, generation: Generation, roles: readonly string[], who: Caller | undefined, signal: AbortSignal): Promise<Result<JsonObject, Failure>>;
