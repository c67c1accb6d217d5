import tseslint from 'typescript-eslint';

/** ids of time and chance, and state that outlives a run, break replay (stack.md 2.6) */
const workflowWall = {
  'no-restricted-imports': ['error', { patterns: [
    { group: ['node:*', '@temporalio/client', '@temporalio/worker', '@temporalio/activity', 'pg', 'kysely', 'nats'], message: 'Workflows do no IO: call an activity.' },
    { group: ['#activities/*', '**/activities/*'], allowTypeImports: true, message: 'Workflows know the types of activities only.' },
  ] }],
  'no-restricted-syntax': ['error',
    { selector: 'Program > VariableDeclaration[kind=let]', message: 'No mutable state at module level: it outlives a run.' },
    { selector: 'CallExpression[callee.object.name=Promise][callee.property.name=race]', message: 'Promise.race keeps long-lived promises: use condition with a time-out.' },
  ],
};

export default tseslint.config(
  { ignores: ['node_modules/', '.muster/', 'services/platform/database.ts', 'services/cli/schema.ts', 'coverage/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false, properties: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-console': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
    },
  },
  { files: ['workflows/**/*.ts'], rules: workflowWall },
  { files: ['services/cli/**/*.ts', 'infra/**/*.ts', 'test/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['test/**/*.test.ts'],
    rules: { 'no-restricted-syntax': ['error', { selector: "MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(only|skip|todo)$/]", message: 'No test is switched off.' }] },
  },
);
