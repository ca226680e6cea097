# Draws docs/images/layers.svg from the table of tests/check_layers.sh: an arrow for each layer that another one may include,
# but for those that follow from others. The test `layers` compares. Usage, in the root of the source:
#   awk -f docs/images/layers.awk tests/check_layers.sh >docs/images/layers.svg

BEGIN { # where a layer stands: column, row from below
    place["base"] = "1.5 0"; place["sparse"] = "1 1"; place["sys"] = "2 1"
    place["attach"] = "0 1"; place["kernels"] = "0 2"; place["model"] = "1 2"; place["probes"] = "2 3"; place["io"] = "3 3"
    place["track"] = "3 4"; place["plots"] = "4 4"; place["report"] = "4 5"
    place["session"] = "2 6"; place["lab"] = "2 7"; place["api"] = "3 7"; place["cli"] = "2 8"
    says["base"] = "status, values, text"; says["attach"] = "goes into other programs"; says["sparse"] = "matrices, orders, layouts"; says["sys"] = "topology, binding, pages"
    says["kernels"] = "execute workloads"; says["model"] = "volumes, α, rooflines, hints"; says["probes"] = "observe jobs"
    says["io"] = "files in, records out"; says["track"] = "many records together"; says["plots"] = "pictures of records"
    says["report"] = "text, HTML, CSV of records"; says["session"] = "one analysis"; says["lab"] = "exercises"
    says["api"] = "the library, spmodel.h"; says["cli"] = "parses, prints, exit codes"
    n = split("base sparse sys attach kernels model probes io track plots report session lab api cli", layer, " ")
    width = 178; height = 44; step_x = 206; step_y = 72
}

/^ *allow\["[a-z]+"\] = "/ {
    split($0, part, "\"")
    k = split(part[4], list, " ")
    if (!(part[2] in place)) { print "layers.awk: no place for layer " part[2]; failed = 1; exit 1 }
    known[part[2]] = 1
    for (i = 1; i <= k; i++) if (list[i] != part[2]) may[part[2], list[i]] = 1
}

function left(name,    p) { split(place[name], p, " "); return 10 + p[1] * step_x }
function top(name,    p) { split(place[name], p, " "); return 10 + (8 - p[2]) * step_y }

function follows(a, b,    i) {
    for (i = 1; i <= n; i++) if (((a, layer[i]) in may) && ((layer[i], b) in may)) return 1
    return 0
}

END {
    if (failed) exit 1
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"sans-serif\">\n", \
        4 * step_x + width + 20, 8 * step_y + height + 20
    print "<title>Layers of spmodel and what each may include</title>"
    print "<style>rect{fill:#f6f8fa;stroke:#57606a}.n{font-weight:bold;font-size:15px}.s{font-size:12px}" \
        "text{fill:#1f2328;text-anchor:middle}path{stroke:#57606a;fill:none;stroke-width:1.4}#a path{fill:#57606a}" \
        "@media(prefers-color-scheme:dark){rect{fill:#161b22;stroke:#8b949e}text{fill:#e6edf3}path{stroke:#8b949e}" \
        "#a path{fill:#8b949e}}</style>"
    print "<defs><marker id=\"a\" markerWidth=\"9\" markerHeight=\"8\" refX=\"8\" refY=\"4\" orient=\"auto\">" \
        "<path d=\"M0 0L9 4L0 8z\"/></marker></defs>"
    for (i = 1; i <= n; i++)
        for (j = 1; j <= n; j++) {
            a = layer[i]
            b = layer[j]
            if (!((a, b) in may) || follows(a, b)) continue
            x = left(a) + width / 2 + (left(b) - left(a)) / step_x * 24
            u = left(b) + width / 2 - (left(b) - left(a)) / step_x * 24
            printf "<path marker-end=\"url(#a)\" d=\"M%d %dL%d %d\"/>\n", x, top(a) + height, u, top(b)
        }
    for (i = 1; i <= n; i++) {
        if (!(layer[i] in known)) { print "layers.awk: there is no layer " layer[i]; exit 1 }
        printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>", left(layer[i]), top(layer[i]), width, height
        printf "<text class=\"n\" x=\"%d\" y=\"%d\">%s</text>", left(layer[i]) + width / 2, top(layer[i]) + 18, layer[i]
        printf "<text class=\"s\" x=\"%d\" y=\"%d\">%s</text>\n", left(layer[i]) + width / 2, top(layer[i]) + 35, says[layer[i]]
    }
    print "</svg>"
}
