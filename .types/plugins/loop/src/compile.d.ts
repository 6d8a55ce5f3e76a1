import { type AgentBundle, type AgentHooks, type CompiledPrompt, type Failure, type Generation, type ModelConfig, type Result, type RunContext, type ToolSchema } from '@amodal/sdk';
import { type ToolSet } from './tool-set.ts';
/** The run that is asked for, and its taps. */
type Asking = RunContext & {
    readonly hooks: AgentHooks;
};
/** Tools and prompt, made once per generation and bundle. Old generations take theirs with them. */
export declare class CompileCache {
    #private;
    /** What the model gets of the bundle; `turn` is left out where no run is there to ask for taps. */
    compile(generation: Generation, bundle: AgentBundle, turn: Asking | undefined): Promise<Result<{
        readonly tools: ToolSet;
        readonly prompt: CompiledPrompt;
    }, Failure>>;
    /**
     * What a model cannot take of its configuration and of tools, the first time that they come together: it is asked once
     * for each generation and bundle, since both are made anew with them.
     */
    unsupported(generation: Generation, config: ModelConfig, schemas: readonly ToolSchema[]): readonly string[];
}
export {};
