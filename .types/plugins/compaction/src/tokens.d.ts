/** A tool under this key in the session's state is listed from then on, as if `find_tools` had found it. */
export declare const listedKey: (tool: string) => string;
/** Tools whose outputs stay in the conversation: the model goes by them for as long as it lasts. */
export declare const LASTING: ReadonlySet<string>;
