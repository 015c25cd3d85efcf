export declare const SERVE_FLAGS: readonly string[];
export declare function serveEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
