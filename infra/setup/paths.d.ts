export declare const repositoryRoot: string;
export declare const toolsDir: string;
