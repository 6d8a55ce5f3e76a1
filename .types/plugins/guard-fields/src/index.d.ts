/**
 * Takes what `access.json` restricts out of answers, before anything else sees them: taps, the model, the journal, the log
 * and the stream. Values that may be used and not be seen travel as handles.
 */
export declare const guardFields: import("@amodal/sdk").Plugin;
export default guardFields;
