import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { LanguageModel, StreamPart } from '../ports/model.ts';
import { type Observed } from './observed-reply.ts';
import { type ModelServer, type Script } from './model-server.ts';
export interface ProviderContract {
    /** A model of the provider under test, that talks to the endpoint at `url`, in whichever protocol. */
    readonly make: (endpoint: {
        readonly url: string;
        readonly apiKey: string;
        readonly model: string;
    }) => LanguageModel | Promise<LanguageModel>;
    /** Cases the provider cannot meet, each with the reason. */
    readonly skip?: Partial<Readonly<Record<ProviderCase, string>>>;
}
/** What a turn relies on. `call` plays a script and gives back all that was seen of the reply. */
interface Bench {
    readonly server: ModelServer;
    readonly model: LanguageModel;
    readonly make: ProviderContract['make'];
    readonly call: (script: Script, options?: Partial<LanguageModelV4CallOptions>, onPart?: (part: StreamPart) => void) => Promise<Observed>;
}
declare const CASES: {
    'gives the text in the pieces and the order it came in'({ call }: Bench): Promise<void>;
    'gives each piece when it comes, not when the reply is complete'({ call, server }: Bench): Promise<void>;
    'gives what was thought apart from what is said'({ call }: Bench): Promise<void>;
    'gives a tool call with its id, its name and its arguments'({ call }: Bench): Promise<void>;
    'puts arguments together however they were cut'({ call }: Bench): Promise<void>;
    'keeps parallel calls apart and in order'({ call }: Bench): Promise<void>;
    'keeps what was said before a call'({ call }: Bench): Promise<void>;
    'hands on arguments that are no JSON as they are'({ call }: Bench): Promise<void>;
    'tells a reply that was cut by its length from one that ended'({ call }: Bench): Promise<void>;
    'reports usage, cached input apart'({ call }: Bench): Promise<void>;
    'reports an error in the middle of a reply, after the text so far'({ call }: Bench): Promise<void>;
    'reports a connection that is cut, and completes no call of it'({ call }: Bench): Promise<void>;
    'reports a reply that ends without having ended'({ call }: Bench): Promise<void>;
    'reports a reply of nothing'({ call }: Bench): Promise<void>;
    'ends with the reply, not with the connection'({ call }: Bench): Promise<void>;
    'takes nothing that comes after the end'({ call }: Bench): Promise<void>;
    'reads lines that end in any of the three ways'({ call }: Bench): Promise<void>;
    'reads a whole body where a stream was asked for'({ call }: Bench): Promise<void>;
    'reports a chunk that is no JSON'({ call }: Bench): Promise<void>;
    'closes the connection when the call is aborted in the middle'({ call, server }: Bench): Promise<void>;
    'closes the connection when the call is aborted before the first byte'({ call, server }: Bench): Promise<void>;
    'closes the connection when the reader leaves'({ model, server }: Bench): Promise<void>;
    'makes no call for a signal that is aborted already'({ call, server }: Bench): Promise<void>;
    'reports 401, not to be tried again'({ call }: Bench): Promise<void>;
    'reports 429 with the time to wait'({ call }: Bench): Promise<void>;
    'reports 500, to be tried again'({ call }: Bench): Promise<void>;
    'never repeats its key, even where the endpoint does'({ call }: Bench): Promise<void>;
    'reports an endpoint that nobody listens on, to be tried again'({ make }: Bench): Promise<void>;
    'sends its key, the tools and the history'({ call, server }: Bench): Promise<void>;
    'asks for no tool where none may be called'({ call, server }: Bench): Promise<void>;
    'sends images'({ call, server }: Bench): Promise<void>;
    'answers sixteen calls at once, each with its own reply'({ model, server }: Bench): Promise<void>;
};
export type ProviderCase = keyof typeof CASES;
/**
 * What every model provider has to do, as tests: called inside a test file, it registers one test
 * per promise and drives the provider against a scripted server on loopback.
 *
 * @param name of the provider, for the report
 * @example
 * providerContract('my-provider', { make: ({ url, apiKey, model }) => createMyProvider({ baseURL: url, apiKey })(model) })
 */
export declare function providerContract(name: string, contract: ProviderContract): void;
export {};
