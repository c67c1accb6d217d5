/** As much of Grafana's dashboard JSON as ours need: time series in two columns, one data source to choose. */
const columns = 2;
const width = 24 / columns;
const height = 8;
const schemaVersion = 39;

/** Legend → PromQL. */
export type Series = Readonly<Record<string, string>>;
export interface Panel { readonly title: string; readonly unit: string; readonly series: Series }
export interface Dashboard { readonly uid: string; readonly title: string; readonly panels: readonly Panel[] }

/** @param unit  one of Grafana's: s, short, ops, reqps, bytes, Bps, percentunit */
export const panel = (title: string, unit: string, series: Series): Panel => ({ title, unit, series });
export const dashboard = (uid: string, title: string, panels: readonly Panel[]): Dashboard => ({ uid, title, panels });

export const expressionsOf = ({ panels }: Dashboard): string[] => panels.flatMap(({ series }) => Object.values(series));

const source = { type: 'prometheus', uid: '${source}' };

export function toGrafana({ uid, title, panels }: Dashboard): object {
  return {
    uid, title, tags: ['muster'], schemaVersion, editable: true, refresh: '10s', timezone: 'browser', time: { from: 'now-1h', to: 'now' },
    templating: { list: [{ name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map(({ title: name, unit, series }, index) => ({
      id: index + 1, type: 'timeseries', title: name, datasource: source,
      gridPos: { h: height, w: width, x: (index % columns) * width, y: Math.floor(index / columns) * height },
      fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8, showPoints: 'never' } }, overrides: [] },
      options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
      targets: Object.entries(series).map(([legendFormat, expr], at) => ({ refId: String.fromCharCode(65 + at), datasource: source, expr, legendFormat })),
    })),
  };
}
