package filecoin

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// goldenBytes is a node as serde writes it in JSON.
type goldenBytes [NodeSize]uint16

func (g goldenBytes) node() (n Node) {
	for i, b := range g {
		n[i] = byte(b)
	}
	return n
}

func nodes(g []goldenBytes) (out []Node) {
	for _, b := range g {
		out = append(out, b.node())
	}
	return out
}

type goldenC1 struct {
	CommR     goldenBytes `json:"comm_r"`
	ReplicaID goldenBytes `json:"replica_id"`
	Proofs    map[string][][]struct {
		TreeR   goldenPath `json:"comm_r_last_proof"`
		Columns struct {
			Own struct {
				Column struct{ Rows []goldenBytes }
				Path   goldenPath `json:"inclusion_proof"`
			} `json:"c_x"`
		} `json:"replica_column_proofs"`
		Labels []struct {
			Parents []goldenBytes
			Layer   uint32 `json:"layer_index"`
			Node    uint64
		} `json:"labeling_proofs"`
	} `json:"vanilla_proofs"`
}

type goldenPath struct {
	Data struct{ Single struct{ Root goldenBytes } }
}

// Labels and comm_r of real sectors of both graph versions.
func TestLabelsAndCommR(t *testing.T) {
	for _, name := range []string{"2k-v1/c1-0.json", "2k-v1_1/c1-0.json", "8m-v1_1/c1.json"} {
		var c goldenC1
		require.NoError(t, json.Unmarshal(readGolden(t, "sectors/"+name), &c))
		labels := 0
		for _, partitions := range c.Proofs {
			for _, p := range partitions[0] {
				for i, l := range p.Labels {
					parents := nodes(l.Parents)
					once := parents[:DRGDegree]
					if i > 0 {
						once = parents[:Degree]
					}
					for at, j := range ParentSequence(len(once)) {
						require.Equal(t, once[j], parents[at])
					}
					replicaID := c.ReplicaID.node()
					require.Equal(t, p.Columns.Own.Column.Rows[i].node(), Label(&replicaID, l.Layer, l.Node, once), name)
					labels++
				}
				commC, commRLast := p.Columns.Own.Path.Data.Single.Root.node(), p.TreeR.Data.Single.Root.node()
				a, okA := ToField(&commC)
				b, okB := ToField(&commRLast)
				require.True(t, okA && okB)
				h := CommR(&a, &b)
				require.Equal(t, c.CommR.node(), FromField(&h), name)
			}
		}
		require.Equal(t, 4, labels)
	}
}
