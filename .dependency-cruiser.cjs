/** The import rule of docs/architecture.md. Tests and entry points may import anything. */
const room = '^services/([^/]+)/';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    {
      name: 'workflows-know-models-only', severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^(services|activities|infra|test)/', pathNot: '^services/[^/]+/model\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    { name: 'models-know-models-only', severity: 'error', from: { path: '^services/[^/]+/model\\.ts$' }, to: { path: '^(services|activities|workflows)/', pathNot: '/model\\.ts$' } },
    { name: 'activities-know-services', severity: 'error', from: { path: '^activities/' }, to: { path: '^(workflows|infra|test)/' } },
    {
      name: 'a-store-belongs-to-its-room', severity: 'error',
      from: { path: room, pathNot: '^services/(roles|cli)/' },
      to: { path: '^services/[^/]+/(store|[a-z-]+-store)\\.ts$', pathNot: '^services/$1/', dependencyTypesNot: ['type-only'] },
    },
    { name: 'platform-knows-no-domain', severity: 'error', from: { path: '^services/platform/' }, to: { path: '^services/(?!platform/)', pathNot: '/model\\.ts$', dependencyTypesNot: ['type-only'] } },
    { name: 'nobody-imports-roles', severity: 'error', from: { path: '^(services|activities|workflows)/', pathNot: '^services/(roles|cli)/' }, to: { path: '^services/(roles|cli)/' } },
    { name: 'nobody-imports-workflows', severity: 'error', from: { path: '^(services|activities)/' }, to: { path: '^workflows/' } },
    { name: 'one-room-for-nats', severity: 'error', from: { path: '^(services|activities|workflows)/', pathNot: '^services/platform/nats/' }, to: { path: 'node_modules/(nats|@nats-io)/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'], extensions: ['.ts', '.js'] },
  },
};
