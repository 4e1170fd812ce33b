package curve
import ("testing";"time";"fmt";"context";"github.com/consensys/gnark-crypto/ecc/bls12-381/fr";"math/rand/v2")
func wmin(n int, f func()) float64 { best:=time.Hour; for i:=0;i<n;i++{ s:=time.Now(); f(); if d:=time.Since(s); d<best {best=d}}; return float64(best.Nanoseconds())}
func TestZZ(t *testing.T){
	rng := rand.New(rand.NewPCG(1,2))
	n:=1<<15
	fx, _ := NewFixedG1(context.Background(), GeneratorG1(), n, 2)
	pp, k := make([]G1Affine, n), make([]fr.Element, n)
	for i := range k { k[i] = randomScalar(rng) }
	fx.Mul(context.Background(), pp, k, 2)
	ws := newWindows(17)
	rec := make([]recoded, n); for i := range k { rec[i]=ws.recode(&k[i]) }
	w:=new(adderG1)
	batch:=func(){ for i:=0;i<1024;i++ { w.push(&pp[i],&pp[i],&pp[2048+i],i&1==0)} }
	batch()
	fmt.Println("zz batch per add", wmin(1000,batch)/1024)
	pushOnly:=func(){ for i:=0;i<1023;i++ { w.push(&pp[i],&pp[i],&pp[2048+i],i&1==0)}; w.n=0 }
	fmt.Println("zz push", wmin(1000,pushOnly)/1024)
	pushOnly()
	w.n=1023
	fmt.Println("zz select", wmin(1000,func(){w.selectSlopes()})/1024)
	w.selectSlopes()
	fmt.Println("zz sumgroup per add", wmin(300,func(){for g:=0;g<200;g++{w.sumGroup(g,1023)}})/800)
	fmt.Println("zz invert per add", wmin(300,func(){w.invert(250)})/1000)
	v:=w.vec
	fmt.Println("zz load", wmin(300,func(){for g:=0;g<100;g++{vecLoad(&v.xp,&pp[g].X,&pp[g+1].X,&pp[g+2].X,&pp[g+3].X)}})/400, "store", wmin(300,func(){for g:=0;g<100;g++{vecStore(&pp[g].X,&pp[g+1].X,&pp[g+2].X,&pp[g+3].X,&v.x)}})/400,
	"sub", wmin(300,func(){for g:=0;g<100;g++{vecSub(&v.y,&v.xp,&v.xq)}})/400,"sub2", wmin(300,func(){for g:=0;g<100;g++{vecSub2(&v.y,&v.xp,&v.xq,&v.yq)}})/400,"16", wmin(300,func(){for g:=0;g<100;g++{vecTimes16(&v.y,&v.xp)}})/400,"mul", wmin(300,func(){for g:=0;g<100;g++{vecMul(&v.y,&v.xp,&v.xq,1)}})/400, "group", wmin(300,func(){for g:=0;g<100;g++{sink=int(w.group(g,1023).p[0].X[0])}})/400)
	fx2, _ := NewFixedG1(context.Background(), GeneratorG1(), 10<<20, 2)
	q:=0
	fmt.Println("zz fixed ns/point", wmin(60,func(){q=(q+1)%30;fx2.mulBatch(pp[:1024],k[q*1024:q*1024+1024])})/1024, fx2.count)
	fl := newFillerG1(ws.buckets()); b := make([]G1Affine, ws.buckets())
	for i:=range pp { b[i]=pp[i]; b[i+n]=pp[n-1-i] }
	j:=0
	fmt.Println("zz fill per add", wmin(3000,func(){j=(j+1)%32;fl.fill(b, &ws, j%14, pp[j*1024:(j+1)*1024], rec[j*1024:(j+1)*1024])})/1024)
	fmt.Println("zz digit", wmin(300,func(){s:=0;for i:=range 1024 {m,_:=ws.digit(&rec[i],5); s+=m}; sink=s})/1024)
}
var sink int
